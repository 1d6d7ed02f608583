//! Reads lines of comma-separated values.

/// Returns the fields of a line. A field in double quotes can contain commas, and a double quote that is written
/// twice.
pub fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let field = fields.last_mut().expect("there is always a field");
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => field.push(other),
        }
    }
    fields
}

/// Returns the sum of the numbers in a column, counted from 0. Fields that are no numbers are left out.
pub fn sum(lines: &[&str], column: usize) -> f64 {
    let numbers = lines.iter().filter_map(|line| fields(line).get(column)?.parse::<f64>().ok());
    numbers.sum()
}

/// Returns the number of bytes of the longest line.
pub fn longest(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.len()).max().unwrap_or(0)
}

#[test]
fn quoted_fields_can_contain_commas() {
    assert_eq!(fields(r#"a,"b ""c"", d",7"#), ["a", r#"b "c", d"#, "7"]);
    assert_eq!(sum(&["a,1", "b,2.5", "c,x"], 1), 3.5);
    assert_eq!(longest(&["a", "abc"]), 3);
}
