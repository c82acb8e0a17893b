/** Names that a script may never assign: they change which program runs, what it loads or how the shell reads. */
const STEERING_NAMES = new Set(
  `PATH IFS ENV HOME SHELL CDPATH SHELLOPTS BASHOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND EXECIGNORE GLOBIGNORE HISTFILE
  POSIXLY_CORRECT TIMEFORMAT OPTIND OPTARG REPLYDIR FUNCNAME FUNCNEST DIRSTACK PIPESTATUS GROUPS TMOUT MAILPATH MAIL
  TERM TERMINFO TERMINFO_DIRS TERMCAP LOCPATH NLSPATH GCONV_PATH GETCONF_DIR HOSTALIASES LOCALDOMAIN RES_OPTIONS
  RESOLV_HOST_CONF TMPDIR TMP TEMP TMPPREFIX MAGIC TAPE RSH RSH_COMMAND TAR_OPTIONS GZIP BZIP BZIP2 XZ_OPT XZ_DEFAULTS
  ZSTD_CLEVEL GREP_OPTIONS VISUAL EDITOR PAGER BROWSER SSH_ASKPASS SUDO_ASKPASS SSH_AUTH_SOCK DISPLAY WAYLAND_DISPLAY
  XAUTHORITY JQ_COLORS TREE_COLORS LSOF_OPTIONS TOPRC ZDOTDIR PWD OLDPWD LISTEN_FDS NOTIFY_SOCKET DBUS_SESSION_BUS_ADDRESS
  http_proxy https_proxy ftp_proxy all_proxy no_proxy rsync_proxy`
    .trim()
    .split(/\s+/),
)
const STEERING_FAMILY =
  /^(?:LD_|DYLD_|GIT_|BASH|LESS|RIPGREP_|NODE_|NPM_|npm_config_|YARN_|PYTHON|PIP_|VIRTUAL_ENV|CONDA_|PERL|RUBY|GEM_|BUNDLE_|GO[A-Z]*$|CARGO_|RUST|JAVA_|JDK_|_JAVA|DOTNET_|KUBE|DOCKER_|COMPOSE_|GH_|GITHUB_|XDG_|AWK|GAWK|GLIBC_|MALLOC_|SYSTEMD_|PROCPS_|PS_|OPENSSL_|SSL_|CURL_|AWS_|AZURE_|GOOGLE_|CLOUDSDK_|SSH_|GPG_|GNUPG|DBUS_|HTTP_|HTTPS_|FTP_|ALL_|NO_PROXY)|(?:PAGER|EDITOR|_PROXY|_ASKPASS|PRELOAD)$/

/**
 * An exported name reaches the program, which may look at names nobody listed; of these, words that usually name a
 * program, a place or a library are refused, the others pass (`FOO=1 ls`). This is a deny-list and leaks by nature.
 */
const SUSPECT_WHEN_EXPORTED =
  /PATH|OPTIONS?$|OPTS$|FLAGS$|CONFIG|CONF$|_RC$|RCFILE|PROXY|HOME|_DIR$|ROOT$|HOST|SOCK|TOKEN|SECRET|PASSW|CMD$|COMMAND|EXEC|WRAPPER|SHELL|BROWSER|TOOLCHAIN|TRACE|LOG|PLUGIN|MODULE|STARTUP|INIT|HOOK|LOADER|LIBRARY/

/** Values that switch a pager or a lock off are what careful callers write. */
const HARMLESS_VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['GIT_PAGER', ['cat', '']],
  ['PAGER', ['cat', '']],
  ['GH_PAGER', ['cat', '']],
  ['SYSTEMD_PAGER', ['cat', '']],
  ['GIT_OPTIONAL_LOCKS', ['0']],
  ['GIT_TERMINAL_PROMPT', ['0']],
  ['GIT_NO_LAZY_FETCH', ['1']],
  ['GH_NO_UPDATE_NOTIFIER', ['1']],
  ['GH_PROMPT_DISABLED', ['1']],
  ['TERM', ['dumb', 'xterm', 'xterm-256color']],
])

/** Variables whose value `printenv` may show. */
export const SHOWABLE_NAMES =
  /^(?:HOME|PATH|SHELL|USER|LOGNAME|PWD|OLDPWD|LANG|LC_[A-Z]+|TERM|TZ|EDITOR|VISUAL|PAGER|HOSTNAME|NODE_ENV|VIRTUAL_ENV|CONDA_DEFAULT_ENV|CI|COLUMNS|LINES|TMPDIR|JAVA_HOME|GOPATH|GOROOT|PYTHONPATH|NVM_DIR|SHLVL|DISPLAY|XDG_[A-Z_]+)$/

/** Why the script may not assign this name, or `undefined` when it may. `exported`: programs will see it. */
export function assignmentProblem(name: string, value: string | undefined, exported: boolean): string | undefined {
  if (value !== undefined && HARMLESS_VALUES.get(name)?.includes(value) === true) return undefined
  if (STEERING_NAMES.has(name) || STEERING_FAMILY.test(name)) {
    return `sets ${name}, which changes what programs load or run; leave it as it is`
  }
  if (exported && SUSPECT_WHEN_EXPORTED.test(name)) return `exports ${name}, which may change what programs run`
  return undefined
}
