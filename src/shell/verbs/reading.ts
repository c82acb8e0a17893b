import type { Family, OptionTable, Verb } from '../verb.ts'

const STDIN_LIST = { '--files0-from': 'reads the names of its files from a file or standard input' } as const
const SHOWS_FILE: OptionTable = { harmless: true }

function filesOrInput(names: string, options: OptionTable = SHOWS_FILE, operands = 1): Verb {
  return { names: names.split(' '), options, shows: true, input: { operands } }
}

/** Readers of files whose every option only changes what is shown. */
export const READING: Family = {
  title: 'Reading files',
  verbs: [
    filesOrInput('cat tac rev nl fold expand unexpand fmt paste od hexdump hd strings column tsort'),
    filesOrInput('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum'),
    filesOrInput('base64 base32', { harmless: true, values: 'w --wrap' }),
    filesOrInput('head', { harmless: true, values: 'n c --lines --bytes', numbers: true }),
    filesOrInput('cut', {
      harmless: true,
      values: 'b c d f --bytes --characters --delimiter --fields --output-delimiter',
    }),
    filesOrInput('wc', { harmless: true, refused: STDIN_LIST }),
    filesOrInput('comm join', { harmless: true, values: 't 1 2 j a e o v i' }, 2),
    filesOrInput('cmp', { harmless: true, values: 'i n --ignore-initial --bytes' }, 2),
    {
      names: ['diff'],
      options: {
        harmless: true,
        values:
          'C U W x X I S F D --width --exclude --exclude-from --ignore-matching-lines --starting-file --label --tabsize --horizon-lines --color --palette',
        refused: { 'l --paginate': 'runs `pr`; leave it out' },
      },
      shows: true,
      walks: ['r', 'recursive'],
      input: { operands: 1 },
    },
    {
      names: ['grep', 'egrep', 'fgrep'],
      options: {
        harmless: true,
        flags: 'r R --recursive --dereference-recursive',
        values:
          'e f m A B C d D --regexp --file --max-count --after-context --before-context --context --directories --devices --include --exclude --exclude-dir --exclude-from --label',
        numbers: true,
      },
      shows: true,
      textFirst: true,
      walks: ['r', 'R', 'recursive', 'dereference-recursive', 'd', 'directories'],
      input: {
        operands: 2,
        unless: ['r', 'R', 'recursive', 'dereference-recursive', 'd', 'directories'],
        replacing: ['e', 'f', 'regexp', 'file'],
      },
    },
    { names: ['tr'], options: SHOWS_FILE, input: { operands: Number.POSITIVE_INFINITY } },
    { names: ['numfmt'], options: SHOWS_FILE, input: { operands: 1 } },
    {
      names: ['tail'],
      options: {
        flags: 'q v z --quiet --silent --verbose --zero-terminated --version --help',
        values: 'n c --lines --bytes',
        numbers: true,
        refused: {
          'f --follow': ['follows the file and never ends; leave it out', 'endless'],
          F: ['follows the file and never ends; leave it out', 'endless'],
          '--retry': ['waits for the file', 'endless'],
        },
      },
      shows: true,
      input: { operands: 1, unless: ['version', 'help'] },
    },
    {
      names: ['sort'],
      options: {
        flags:
          'b d f g h i M n r R V c C m s u z --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --reverse --random-sort --version-sort --merge --stable --unique --zero-terminated --debug --version --help',
        values: 'k t S --key --field-separator --buffer-size --parallel --batch-size --sort',
        optional: '--check',
        numbers: true,
        refused: {
          'o --output': 'writes a file; pipe or redirect nothing, read the output',
          'T --temporary-directory': 'writes temporary files there',
          '--compress-program': 'runs a program',
          '--random-source': 'reads another file',
          ...STDIN_LIST,
        },
      },
      shows: true,
      input: { operands: 1, unless: ['version', 'help'] },
    },
    {
      names: ['uniq'],
      options: {
        flags: 'c d D u i z --count --repeated --unique --ignore-case --zero-terminated --version --help',
        values: 'f s w --skip-fields --skip-chars --check-chars',
        optional: '--all-repeated --group',
      },
      shows: true,
      operands: [{ most: 1, why: 'writes its second operand; give one file' }],
      input: { operands: 1, unless: ['version', 'help'] },
    },
    {
      names: ['xxd'],
      options: {
        singleDash: true,
        flags:
          '-a -autoskip -b -bits -C -capitalize -e -E -EBCDIC -h -help -i -include -p -ps -postscript -plain -u -v -version',
        values: '-c -cols -g -groupsize -l -len -n -name -o -offset -s -seek',
        refused: { '-r -revert': 'patches a file; leave it out' },
        // `xxd f -b` writes the file `-b`.
        stopsAtOperand: true,
      },
      shows: true,
      operands: [{ most: 1, why: 'writes its second operand; give one file' }],
      input: { operands: 1, unless: ['h', 'help', 'v', 'version'] },
    },
    {
      names: ['file'],
      options: {
        flags:
          'b h i k L N n p r E v --brief --mime --mime-type --mime-encoding --extension --keep-going --dereference --no-dereference --no-pad --no-buffer --preserve-date --raw --apple --print0 --version --help',
        values: 'e F P --exclude --separator --parameter',
        refused: {
          'C --compile': 'writes a compiled magic file',
          'z Z --uncompress --uncompress-noreport': 'runs programs to unpack',
          'f --files-from': 'reads the names of its files from a file or standard input',
          'm --magic-file': 'loads a magic file',
          's --special-files': 'reads devices',
        },
      },
      operands: [],
    },
    {
      names: ['sed'],
      options: {
        flags:
          'n E r s u z --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --version --help',
        values: 'e l --expression --line-length',
        refused: {
          'i --in-place': 'changes the file; print with `sed -n` instead',
          'f --file': 'runs a script from a file; give it with -e',
          '--follow-symlinks': 'is for changing files',
        },
      },
      note: 'a literal script without `e`, `w`, `W`, `r`, `R`',
      shows: true,
      textFirst: true,
      rules: ['sed'],
      input: { operands: 2, replacing: ['e', 'expression'], unless: ['version', 'help'] },
    },
    {
      names: ['awk', 'gawk', 'mawk', 'nawk'],
      options: {
        flags: '--posix --traditional --re-interval --sandbox --csv',
        values: 'F v --field-separator --assign',
        refused: {
          'f --file': 'runs a program from a file; give it in quotes',
          'i --include': 'loads code',
          'l --load': 'loads code',
          'e --source': 'is code in a place that is not checked; give one program in quotes',
          'E --exec': 'runs a program from a file',
          'o --pretty-print': 'writes a file',
          'p --profile': 'writes a file',
          'd --dump-variables': 'writes a file',
          'D --debug': 'waits for commands',
        },
        stopsAtOperand: true,
      },
      note: 'a literal program without `system`, `getline`, output to files or pipes, functions, `while`, `do`',
      shows: true,
      textFirst: true,
      rules: ['awk'],
    },
    {
      names: ['jq'],
      options: {
        flags:
          'r j a s c S C M n e R h V --raw-output --join-output --ascii-output --slurp --compact-output --sort-keys --color-output --monochrome-output --null-input --exit-status --raw-input --tab --seq --stream --stream-errors --unbuffered --raw-output0 --args --jsonargs --version --help',
        values: '--indent',
        pairs: '--arg --argjson --slurpfile --rawfile --argfile',
        refused: {
          'f --from-file': 'runs a program from a file; give it in quotes',
          'L --library-path': 'loads code',
        },
      },
      note: 'a literal filter without `env`, `$ENV`, `import`, `include`',
      shows: true,
      textFirst: true,
      rules: ['jq'],
      input: { operands: 2, unless: ['n', 'null-input', 'h', 'help', 'V', 'version'] },
    },
    {
      names: ['tar'],
      options: {
        flags:
          't v z j J a R --list --verbose --gzip --gunzip --ungzip --bzip2 --xz --zstd --lzma --auto-compress --full-time --numeric-owner --utc --wildcards --no-wildcards --ignore-case --anchored --block-number --force-local --quoting-style --version --help',
        values: 'f C b --file --directory --exclude --strip-components --occurrence --blocking-factor',
        refused: {
          'x --extract --get': 'writes files; list with -t',
          'c --create': 'writes an archive',
          'r --append': 'changes the archive',
          'u --update': 'changes the archive',
          'A --catenate --concatenate': 'changes the archive',
          'd --diff --compare': 'is not a listing',
          '--delete': 'changes the archive',
          'I --use-compress-program': 'runs a program',
          '--to-command': 'runs a program',
          '--checkpoint-action': 'may run a program',
          'F --info-script --new-volume-script': 'runs a program',
          '--rsh-command': 'runs a program',
          '--rmt-command': 'runs a program',
          '--index-file': 'writes a file',
          'g --listed-incremental': 'writes a file',
          'T --files-from': 'reads further options from a file',
        },
      },
      note: 'listing an archive on this machine',
      shows: true,
      requires: { options: ['t', 'list', 'version', 'help'], why: 'is a glance only as a listing (`tar -tf FILE`)' },
      oldLetters: /^[tvzjJaR]*f?$/,
      rules: ['tar'],
    },
    {
      names: ['unzip'],
      options: { flags: 'l v q Z', refused: { p: 'unpacks', o: 'unpacks over files', x: 'unpacks', d: 'unpacks' } },
      note: 'listing an archive',
      shows: true,
      requires: { options: ['l', 'v', 'Z'], why: 'is a glance only as a listing (`unzip -l FILE`)' },
    },
  ],
}
