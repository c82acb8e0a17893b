import type { Family } from '../verb.ts'

const NO_OPERAND = 'takes no operand as a glance'

/** Looking at the machine: processes, memory, sockets, time. */
export const SYSTEM: Family = {
  title: 'Looking at the machine',
  verbs: [
    {
      names: ['whoami', 'id', 'groups', 'uname', 'arch', 'nproc', 'uptime', 'who', 'w', 'users', 'logname', 'tty'],
      options: { harmless: true },
    },
    {
      names: ['free'],
      options: {
        flags:
          'b k m g h l t v w V L --bytes --kibi --mebi --gibi --tebi --kilo --mega --giga --tera --human --si --lohi --line --total --committed --wide --version --help',
        refused: { 's --seconds': ['repeats for ever', 'endless'], 'c --count': ['repeats', 'endless'] },
      },
      operands: [{ most: 0, why: NO_OPERAND }],
    },
    {
      names: ['lscpu', 'lsblk', 'lsmod'],
      options: {
        flags: 'a b f l m p t e J J n --all --json --bytes --fs --list --perms --topology --extended --noheadings',
        values: 'o --output',
      },
    },
    { names: ['pidof'], options: { flags: 's x q' } },
    {
      names: ['vmstat'],
      options: { flags: 'a d D f m n s t w', values: 'S' },
      operands: [{ most: 0, why: ['repeats', 'endless'] }],
    },
    {
      names: ['crontab'],
      options: { flags: 'l', refused: { r: 'deletes the table', e: 'opens an editor', u: 'is about another user' } },
      requires: { options: ['l'], why: 'installs a table; use `crontab -l`' },
      operands: [{ most: 0, why: 'installs a table' }],
    },
    {
      names: ['ip'],
      options: {
        singleDash: true,
        flags: '-4 -6 -br -brief -c -color -o -oneline -s -stats -d -details -j -json -p -pretty -h -human',
        stopsAtOperand: true,
      },
      operands: [
        { at: 0, matching: /^(?:a|addr|address|l|link|r|ro|route|n|neigh|ru|rule)$/, why: 'is not known to only look' },
        { at: 1, matching: /^(?:show|list|ls)$/, why: 'may change the network; use `ip addr show`' },
      ],
    },
    {
      names: ['ifconfig'],
      options: { flags: 'a s v' },
      operands: [{ most: 1, matching: /^[a-z][a-z0-9]*$/, why: 'changes the network' }],
    },
    {
      names: ['ps'],
      options: {
        flags:
          'A a d e f F j l L m T w y H V c N M --forest --headers --no-headers --no-heading --heading --info --version --help --deselect --cumulative',
        values:
          'C G g o O p q s t u U --pid --ppid --format --sort --user --User --group --Group --tty --sid --cols --columns --width --rows --lines --quick-pid',
        refused: { E: ['shows the environment', 'look'] },
      },
      note: 'BSD letters without `e`',
      optionValues: {
        o: { matching: /^(?!.*envir)[^\u0000]*$/i, why: ['shows the environment', 'look'] },
        O: { matching: /^(?!.*envir)[^\u0000]*$/i, why: ['shows the environment', 'look'] },
        format: { matching: /^(?!.*envir)[^\u0000]*$/i, why: ['shows the environment', 'look'] },
      },
      rules: ['ps'],
    },
    {
      names: ['pgrep'],
      options: {
        flags:
          'a c f i l n o v w x A --list-full --list-name --count --full --ignore-case --newest --oldest --inverse --lightweight --exact --version --help --ignore-ancestors',
        values:
          'd g G P s t u U r --delimiter --pgroup --group --parent --session --terminal --euid --uid --runstates --older',
        refused: { 'F --pidfile': 'reads a file', '--signal': 'is for sending signals' },
      },
    },
    {
      names: ['ss'],
      options: {
        flags:
          'n a l o e m p i s t u w d x S 0 4 6 H O Q b Z z h V B W --numeric --all --listening --options --extended --memory --processes --info --summary --tcp --udp --raw --unix --dccp --sctp --ipv4 --ipv6 --no-header --oneline --no-queues --bpf --context --contexts --tos --cgroup --help --version',
        values: 'f A --family --query --socket',
        refused: {
          'K --kill': 'closes sockets',
          'D --diag': 'writes a file',
          'F --filter': 'reads a file',
          'E --events': ['never ends', 'endless'],
          'N --net': 'changes the network namespace',
          'r --resolve': 'asks the network for names',
        },
      },
      operands: [
        {
          matching:
            /^(?:state|exclude|dst|src|dport|sport|and|or|not|&&?|\|\|?|!|[=<>!]=?|eq|ne|gt|lt|ge|le|\(|\)|:?\d+|:[a-z]+|\*(?::\d+)?|\d{1,3}(?:\.\d{1,3}){3}(?:\/\d+)?(?::\d+)?|all|connected|synchronized|bucket|big|established|syn-sent|syn-recv|fin-wait-[12]|time-wait|closed?|close-wait|last-ack|listen(?:ing)?|closing)$/,
          why: 'may ask the network for a name; use addresses',
        },
      ],
    },
    {
      names: ['netstat'],
      options: {
        flags:
          'a n t u l p i s o e W x w g r --all --numeric --tcp --udp --listening --programs --interfaces --statistics --extend --wide --unix --route',
        refused: { 'c --continuous': ['never ends', 'endless'] },
      },
      requires: {
        options: ['n', 'numeric', 'i', 'interfaces', 's', 'statistics'],
        why: 'asks the network for names; add -n',
      },
      operands: [{ most: 0, why: NO_OPERAND }],
    },
    {
      names: ['lsof'],
      options: {
        flags: 'a b C h l n N O P R t U v V w X --help --version',
        values: 'c d e p u',
        loose: 'i s T S g o F L f',
        refused: {
          r: ['repeats for ever', 'endless'],
          D: 'writes a device cache',
          k: 'reads another kernel',
          m: 'reads another memory',
          A: 'reads another file',
          E: 'is not known to be read-only',
        },
      },
      operands: [
        { matching: /^(?:[^+\u0000]|\+[dDcLfEwT])/, why: ['repeats for ever (`+r`) or is not known', 'endless'] },
      ],
    },
    {
      names: ['top'],
      options: {
        flags: 'b c H i S s 1 E e h v',
        values: 'n o p u U w',
        refused: { d: ['may wait for ever between screens', 'endless'] },
      },
      optionValues: { n: { matching: /^[1-3]$/, why: ['repeats; use `-n 1`', 'endless'] } },
      requires: { options: ['n', 'h', 'v'], why: ['never ends; use `top -b -n 1`', 'endless'] },
      rules: [],
      operands: [{ most: 0, why: NO_OPERAND }],
    },
    {
      names: ['hostname'],
      options: {
        flags: 's f d i I --short --fqdn --long --domain --ip-address --all-ip-addresses --version --help',
        refused: {
          'F --file': 'sets the name',
          'b --boot': 'sets the name',
          'A --all-fqdns': 'asks the network for names',
          'y --yp --nis': 'asks the network',
        },
      },
      operands: [{ most: 0, why: 'sets the name of the machine; use plain `hostname`' }],
    },
    {
      names: ['date'],
      options: {
        flags: 'u R --utc --universal --rfc-email --version --help --debug',
        values: 'd r --date --reference --rfc-3339',
        optional: 'I --iso-8601',
        refused: { 's --set': 'sets the clock', 'f --file': 'reads dates from a file or standard input' },
      },
      operands: [{ matching: /^\+/, why: 'sets the clock; a format begins with `+`' }],
    },
    {
      names: ['dmesg'],
      options: {
        flags:
          'd e k L P p r S t T u x J --show-delta --reltime --kernel --color --nopager --force-prefix --raw --syslog --notime --ctime --userspace --decode --json --version --help',
        values: 'f l s --facility --level --since --until --time-format --buffer-size',
        refused: {
          'C --clear': 'clears the log',
          'c --read-clear': 'clears the log',
          'D --console-off': 'changes the console',
          'E --console-on': 'changes the console',
          'n --console-level': 'changes the console',
          'w --follow': ['never ends', 'endless'],
          'W --follow-new': ['never ends', 'endless'],
          'H --human': ['opens a pager', 'endless'],
          'F --file': 'reads another file',
        },
      },
      operands: [{ most: 0, why: NO_OPERAND }],
    },
    {
      names: ['journalctl'],
      options: {
        flags:
          'a b k q r x l m e --all --boot --dmesg --quiet --reverse --catalog --full --no-full --no-pager --no-hostname --utc --user --system --merge --list-boots --disk-usage --no-tail --version --help',
        values:
          'u n p o g t S U c F --unit --user-unit --lines --priority --output --grep --identifier --since --until --cursor --field --output-fields --facility',
        refused: {
          'f --follow': ['never ends', 'endless'],
          '--vacuum-size --vacuum-time --vacuum-files': 'deletes journals',
          '--rotate': 'rotates journals',
          '--flush': 'moves journals',
          '--sync': 'writes journals',
          '--relinquish-var': 'moves journals',
          '--smart-relinquish-var': 'moves journals',
          '--setup-keys': 'writes keys',
          '--update-catalog': 'writes the catalogue',
          '--cursor-file': 'writes a file',
          'D --directory': 'reads other journals',
          '--file': 'reads other files',
          'M --machine': 'opens a connection',
        },
      },
      strictEnvironment: true,
    },
    {
      names: ['systemctl'],
      options: {
        flags:
          'a l q --all --full --no-pager --plain --no-legend --quiet --user --system --failed --value --version --help',
        values: 't n o p --type --state --lines --output --property',
        refused: {
          'H --host': 'opens a connection',
          'M --machine': 'opens a connection',
          '--root': 'is not about this machine',
          '--image': 'is not about this machine',
        },
      },
      verbs: [
        'status',
        'is-active',
        'is-enabled',
        'is-failed',
        'list-units',
        'list-unit-files',
        'list-timers',
        'list-sockets',
        'get-default',
      ].map((name) => ({
        names: [name],
        options: {
          flags: 'a l q --all --full --no-pager --plain --no-legend --quiet --user --system --failed',
          values: 't n o p --type --state --lines --output --property',
        },
      })),
      bare: 'itself',
      strictEnvironment: true,
    },
    {
      names: ['nvidia-smi'],
      options: {
        flags: 'q L h x --query --list-gpus --xml-format --help --version',
        values:
          'i d --id --display --format --query-gpu --query-compute-apps --query-accounted-apps --query-supported-clocks',
        refused: {
          'l --loop --loop-ms': ['repeats for ever', 'endless'],
          'f --filename': 'writes a file',
          'r --gpu-reset': 'resets the card',
          'p --persistence-mode --power-limit': 'changes the card',
          'c --compute-mode': 'changes the card',
        },
      },
      operands: [{ most: 0, why: NO_OPERAND }],
    },
  ],
}
