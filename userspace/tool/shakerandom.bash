# SPDX-License-Identifier: GPL-2.0
# Completion of shakerandom for bash. The command's own help is the list: it cannot go stale.

_shakerandom_words() {
	case $1 in
	'') "$command" --help 2>/dev/null | sed -n '/^Usage/d; s/^  \([a-z]\{1,\}\)  .*/\1/p' ;;
	formats) "$command" info --formats 2>/dev/null | sed '1d; s/ .*//' ;;
	*) "$command" "$1" --usage 2>/dev/null | grep -o -- '--[a-z0-9][a-z0-9-]*=\{0,1\}' ;;
	esac
}

_shakerandom_reply() {
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		COMPREPLY+=("$word")
	done < <(compgen "$@")
}

_shakerandom() {
	local command=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}

	# '=' is a word of its own: '--format' '=' 'cha'.
	[ "$word" != = ] || word=
	[ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}
	case $before in
	--format | -f)
		_shakerandom_reply -W "$(_shakerandom_words formats)" -- "$word"
		return ;;
	--seed-file | --key-file | --output | -o | --resume | --device | --root)
		compopt -o filenames 2>/dev/null
		_shakerandom_reply -f -- "$word"
		return ;;
	--seed | -s | --key | -k | --nonce | --stream | --offset | --skip | --length | -l | --jobs | -j | \
	--count | -n | --time | -t | --kernel)
		COMPREPLY=()
		return ;;
	esac
	if [ "$COMP_CWORD" -eq 1 ]; then
		_shakerandom_reply -W "$(_shakerandom_words '') --help --version" -- "$word"
	elif [ "${COMP_WORDS[1]}" = help ]; then
		_shakerandom_reply -W "$(_shakerandom_words '')" -- "$word"
	elif [ "${word#-}" != "$word" ]; then
		_shakerandom_reply -W "$(_shakerandom_words "${COMP_WORDS[1]}" | sort -u)" -- "$word"
		case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
	else
		compopt -o filenames 2>/dev/null
		_shakerandom_reply -f -- "$word"
	fi
}

complete -F _shakerandom shakerandom
