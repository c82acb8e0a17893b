import type { OptionTable, Verb, Why } from '../verb.ts'

const ENDLESS: Why = ['never ends; leave it out', 'endless']

function docker(names: string, flags = '', values = '', refused: OptionTable['refused'] = {}): Verb {
  return {
    names: names.split(' '),
    options: { flags: `--help ${flags}`, values, refused },
  }
}

const FORMATS = 'f --filter --format'
const PS = docker('ps', 'a l q s --all --latest --quiet --size --no-trunc', `n --last ${FORMATS}`)
const IMAGES = docker('images', 'a q --all --quiet --digests --no-trunc --tree', FORMATS)
const LOGS = docker('logs', 't --timestamps --details', 'n --tail --since --until', { 'f --follow': ENDLESS })
const INSPECT = docker('inspect', 's --size', 'f --format --type')
const TOP = docker('top')
const PORT = docker('port')
const DIFF = docker('diff')
const HISTORY = docker('history', 'H q --human --quiet --no-trunc', '--format --platform')
const STATS: Verb = {
  ...docker('stats', 'a --all --no-trunc --no-stream', '--format'),
  requires: { options: ['no-stream'], why: ['never ends; add --no-stream', 'endless'] },
}
const LIST = docker('ls list', 'a l q s --all --latest --quiet --size --no-trunc', `n --last ${FORMATS}`)

function group(name: string, verbs: readonly Verb[]): Verb {
  return { names: [name], options: {}, verbs, bare: 'needs a verb that only looks' }
}

export const DOCKER: Verb = {
  names: ['docker'],
  options: {
    flags: '--help v --version',
    refused: {
      'H --host': 'connects elsewhere',
      'c --context': 'connects elsewhere',
      '--config': 'reads another configuration',
      '--tls --tlsverify': 'changes how it connects',
      '--tlscacert --tlscert --tlskey': 'changes how it connects',
      'D --debug': 'is not needed',
      'l --log-level': 'is not needed',
    },
    stopsAtOperand: true,
  },
  verbs: [
    PS,
    IMAGES,
    LOGS,
    INSPECT,
    TOP,
    PORT,
    DIFF,
    HISTORY,
    STATS,
    docker('version info', '', 'f --format'),
    group('container', [{ ...LIST, names: ['ls', 'list', 'ps'] }, INSPECT, LOGS, TOP, PORT, DIFF, STATS]),
    group('image', [LIST, INSPECT, HISTORY]),
    group('network', [
      docker('ls list', 'q --quiet --no-trunc', FORMATS),
      docker('inspect', 'v --verbose', 'f --format'),
    ]),
    group('volume', [docker('ls list', 'q --quiet', FORMATS), INSPECT]),
    group('system', [docker('df', 'v --verbose', '--format'), docker('info', '', 'f --format')]),
    group('context', [docker('ls list', 'q --quiet', '--format'), docker('show')]),
    {
      names: ['compose'],
      options: {
        flags: '--help',
        refused: {
          'f --file': 'reads another file',
          '--env-file': 'reads another file',
          '--project-directory': 'reads another folder',
          'p --project-name': 'names another project',
          '--profile': 'names another profile',
        },
        stopsAtOperand: true,
      },
      verbs: [
        docker('ps', 'a q --all --quiet --services --no-trunc --orphans', '--filter --format --status'),
        docker('logs', 't --timestamps --no-color --no-log-prefix', 'n --tail --since --until --index', {
          'f --follow': ENDLESS,
        }),
        docker('ls', 'a q --all --quiet', '--filter --format'),
        docker('images', 'q --quiet', '--format'),
        docker('top'),
        docker('version', '--short', 'f --format'),
      ],
      refusedVerbs: { config: ['may show secrets of the environment', 'look'] },
      bare: 'needs a verb that only looks',
    },
  ],
  refusedVerbs: {
    exec: 'runs a program in a container',
    run: 'runs a container',
    rm: 'deletes a container',
    rmi: 'deletes an image',
    stop: 'stops a container',
    start: 'starts a container',
    restart: 'restarts a container',
    kill: 'stops a container',
    build: 'builds an image',
    pull: 'downloads an image',
    push: 'uploads an image',
    cp: 'copies files',
    events: ENDLESS,
    attach: 'attaches to a container',
    wait: ['waits', 'neutral'],
  },
  bare: 'itself',
  strictEnvironment: true,
}
