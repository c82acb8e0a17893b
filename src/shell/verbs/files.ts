import type { Family } from '../verb.ts'

/** Looking at names, sizes and places. */
export const FILES: Family = {
  title: 'Looking at files',
  verbs: [
    {
      names: ['ls', 'dir', 'vdir', 'stat', 'basename', 'dirname', 'realpath', 'readlink', 'df', 'whereis'],
      options: { harmless: true },
    },
    {
      names: ['du'],
      options: {
        harmless: true,
        refused: { '--files0-from': 'reads the names of its files from a file or standard input' },
      },
    },
    {
      names: ['tree'],
      options: {
        flags:
          'a d f l x i q N Q p u g s h D F v t c U r J X C n S A --noreport --dirsfirst --filesfirst --prune --du --si --inodes --device --gitignore --ignore-case --matchdirs --metafirst --nolinks --hintro --houtro --version --help',
        values: 'L P I H T --filelimit --timefmt --charset --sort',
        refused: {
          o: 'writes a file',
          R: 'writes 00Tree.html files',
          '--fromfile': 'reads names from a file or standard input',
          '--fromtabfile': 'reads names from a file or standard input',
        },
      },
    },
    {
      names: ['find'],
      options: { harmless: true },
      note: 'tests and printing; `-exec` only of a glance; no `-delete`, `-ok`, `-execdir`, `-fprint`, `-fls`',
      rules: ['find'],
    },
    {
      names: ['fd', 'fdfind'],
      options: {
        flags:
          'H I u s i g F a L p 0 1 q --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --follow --full-path --print0 --quiet --prune --version --help',
        values:
          't e d E S c j --type --extension --max-depth --min-depth --exact-depth --exclude --size --color --threads --max-results --changed-within --changed-before --owner --base-directory',
        refused: {
          'x --exec': 'runs a program',
          'X --exec-batch': 'runs a program',
          'l --list-details': 'runs `ls`',
        },
      },
    },
    {
      names: ['rg'],
      options: {
        flags:
          'a b s S i c F l L v n N x U I H 0 o P p q u V w h . --text --byte-offset --case-sensitive --smart-case --ignore-case --column --no-column --count --count-matches --include-zero --crlf --no-crlf --debug --trace --files --files-with-matches --files-without-match --fixed-strings --no-fixed-strings --follow --no-follow --glob-case-insensitive --heading --no-heading --help --hidden --no-hidden --invert-match --json --line-buffered --no-line-buffered --line-number --no-line-number --line-regexp --max-columns-preview --mmap --no-mmap --multiline --no-multiline --multiline-dotall --no-config --no-filename --with-filename --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --ignore --no-messages --no-unicode --null --null-data --one-file-system --only-matching --passthru --passthrough --pcre2 --no-pcre2 --pcre2-version --pretty --quiet --stats --trim --no-trim --type-list --unrestricted --version --vimgrep --word-regexp --block-buffered --auto-hybrid-regex --binary --no-binary --stop-on-nonmatch --no-context-separator --no-search-zip --no-pre --no-require-git --no-encoding --no-sort-files --sort-files',
        values:
          'A B C E f g m M d e r j t T --after-context --before-context --context --color --colors --context-separator --dfa-size-limit --encoding --engine --field-context-separator --field-match-separator --file --glob --iglob --ignore-file --max-columns --max-count --max-depth --maxdepth --max-filesize --path-separator --regex-size-limit --regexp --replace --sort --sortr --threads --type --type-not --type-add --type-clear --hyperlink-format',
        refused: {
          '--pre': 'runs a program on every file',
          '--pre-glob': 'is for running a program on files',
          '--hostname-bin': 'runs a program',
          'z --search-zip': 'runs programs to unpack',
          '--generate': 'is not a search',
        },
      },
      shows: true,
      textFirst: true,
      input: { operands: 0, replacing: ['e', 'regexp', 'f', 'file', 'files', 'type-list'] },
      walks: 'always',
      strictEnvironment: true,
    },
  ],
}
