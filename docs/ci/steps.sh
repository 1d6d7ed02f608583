# Runs the steps of action.yml in a shell, as GitHub does: the same script, the same
# variables, the same files for outputs. Read with `source`.
#
#   action=FILE                     the action
#   context[inputs.base]=main       what ${{ inputs.base }} stands for
#   run_step ID                     runs the script of the step with this id
#
# What a step writes to $GITHUB_OUTPUT is in the context afterwards. The conditions of
# steps (`if:`) are not evaluated: the caller decides.

declare -A context

# step_part ID PART: of the step with this id, its script (run) or its variables (env),
# without indentation. Reads what is written in blocks, as in action.yml and in workflows.
step_part() {
    awk -v id="$1" -v part="$2" '
        { match($0, /^ */); indentation = RLENGTH }
        inside && !/^$/ && indentation <= step { inside = 0 }
        $1 == "-" && $2 == "id:" && $3 == id { inside = 1; wanted = 0; step = indentation; next }
        inside && !/^$/ && indentation == step + 2 { wanted = ($1 == part ":"); next }
        inside && wanted { print substr($0, step + 5) }
    ' "$action"
}

# has_value EXPRESSION: whether it stands for something here. An output that a step may write and did not is
# empty, as it is on GitHub, also if the step did not run.
has_value() {
    local step output
    [ -z "${context[$1]+known}" ] || return 0
    IFS=. read -r _ step _ output <<<"$1"
    [[ "$1" = steps.*.outputs.* && "$(step_part "$step" run)" = *"echo \"$output="* ]] || return 1
    context[$1]=
}

run_step() {
    local id=$1 script line name expression output variables=()
    script=$(step_part "$id" run)
    [ -n "$script" ] || { echo "steps: $action has no step $id with a script" >&2; return 2; }
    # The shell would execute a value that stands in the script itself.
    case $script in
    *'${{'*) echo "steps: the script of $id holds an expression: use env" >&2; return 2 ;;
    esac
    while IFS= read -r line; do
        name=${line%%:*} expression=${line#*'${{ '}
        expression=${expression%' }}'}
        has_value "$expression" ||
            { echo "steps: $id uses $expression, which has no value" >&2; return 2; }
        variables+=("$name=${context[$expression]}")
    done < <(step_part "$id" env)
    output=$(mktemp)
    local status=0
    env "${variables[@]}" GITHUB_OUTPUT="$output" \
        bash --noprofile --norc -eo pipefail -c "$script" || status=$?
    while IFS='=' read -r name line; do
        context["steps.$id.outputs.$name"]=$line
    done <"$output"
    rm -f "$output"
    return "$status"
}
