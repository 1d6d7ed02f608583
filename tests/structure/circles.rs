//! Modules that need each other.

use std::collections::{BTreeMap, BTreeSet};

type Module = Vec<String>;

/// What a file names of its own crate.
type Used = BTreeSet<Module>;

/// What needs what: of each pair of modules the two that lie in the same directory.
type Needs = BTreeMap<Module, BTreeSet<Module>>;

/// Every circle of modules, in words. What a module needs its directory needs too: where
/// `a::x` needs `b::y`, `a` needs `b`. What parent and child need of each other does not
/// count.
pub(crate) fn circles(directory: &str, files: &[(&str, &Used)]) -> Vec<String> {
    // By convention such a file is a module that only tests compile, under another name.
    let files = files.iter().filter(|(file, _)| !file.ends_with("_tests.rs"));
    let modules: BTreeMap<Module, &Used> =
        files.map(|(file, used)| (module_of(directory, file), *used)).collect();
    let mut needs = Needs::new();
    for (module, used) in &modules {
        for needed in needed(module, used, &modules) {
            let common = module.iter().zip(needed).take_while(|(one, other)| one == other).count();
            let of = |module: &Module| module[..=common].to_vec();
            needs.entry(of(module)).or_default().insert(of(needed));
        }
    }
    let ways = needs.keys().filter_map(|module| way_back(module, &needs));
    // A circle is reported once, from its first module on.
    let first = ways.filter(|way| way.iter().min() == way.first());
    first.map(|way| in_words(&way)).collect()
}

/// `src/plan/experiment/mod.rs` in `src` is `["plan", "experiment"]`.
pub(crate) fn module_of(directory: &str, file: &str) -> Module {
    let path = file.trim_start_matches(directory).trim_matches('/').trim_end_matches(".rs");
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// The modules that this one names, without its parents and children.
fn needed<'a>(
    module: &Module,
    used: &Used,
    modules: &'a BTreeMap<Module, &Used>,
) -> BTreeSet<&'a Module> {
    let mut needed = BTreeSet::new();
    for path in used {
        let deepest = (0..=path.len()).rev().find_map(|at| modules.get_key_value(&path[..at]));
        let Some((found, _)) = deepest else { continue };
        if !found.starts_with(module) && !module.starts_with(found) {
            needed.insert(found);
        }
    }
    needed
}

/// The shortest way from a module back to itself, without its end.
fn way_back(from: &Module, needs: &Needs) -> Option<Vec<Module>> {
    let mut came_from: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut next = vec![from];
    while !next.is_empty() {
        let mut after = Vec::new();
        for module in next {
            for needed in needs.get(module).into_iter().flatten() {
                if needed == from {
                    let back = std::iter::successors(Some(module), |at| came_from.get(at).copied());
                    let mut way: Vec<Module> = back.cloned().collect();
                    way.reverse();
                    return Some(way);
                }
                if !came_from.contains_key(needed) {
                    came_from.insert(needed, module);
                    after.push(needed);
                }
            }
        }
        next = after;
    }
    None
}

fn in_words(way: &[Module]) -> String {
    let back = way.iter().chain(way.first());
    back.map(|module| module.join("::")).collect::<Vec<_>>().join(" -> ")
}
