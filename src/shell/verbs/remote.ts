import type { Family, OptionTable, Verb, Why } from '../verb.ts'
import { DOCKER } from './docker.ts'
import { GH } from './gh.ts'

const ENDLESS: Why = ['never ends; leave it out', 'endless']
const KUBECTL_REFUSED: NonNullable<OptionTable['refused']> = {
  '--kubeconfig': 'connects elsewhere',
  's --server': 'connects elsewhere',
  '--token': 'holds a credential',
  '--username': 'holds a credential',
  '--password': 'holds a credential',
  '--user': 'changes who asks',
  '--as': 'changes who asks',
  '--as-group': 'changes who asks',
  '--cluster': 'connects elsewhere',
  '--certificate-authority': 'changes how it connects',
  '--client-certificate': 'changes how it connects',
  '--client-key': 'changes how it connects',
  '--insecure-skip-tls-verify': 'changes how it connects',
  '--tls-server-name': 'changes how it connects',
  '--cache-dir': 'writes a folder',
  '--profile': 'writes a file',
  '--profile-output': 'writes a file',
  '--raw': 'asks for any address; name a kind of object',
  'f --filename': 'reads a file or an address',
  'k --kustomize': 'runs a build',
  'w --watch --watch-only': ENDLESS,
  '--log-file --log-dir': 'writes a file',
  '--output-directory': 'writes files',
  'v --v': 'may show credentials',
}
const KUBECTL_FLAGS = 'A h --all-namespaces --help --warnings-as-errors'
const KUBECTL_VALUES = 'n --namespace --context --request-timeout'

function kubectl(names: string, flags = '', values = '', more: Partial<Verb> = {}): Verb {
  return {
    names: names.split(' '),
    options: { flags: `${KUBECTL_FLAGS} ${flags}`, values: `${KUBECTL_VALUES} ${values}`, refused: KUBECTL_REFUSED },
    ...more,
  }
}

const NO_SECRETS: Partial<Verb> = {
  operands: [
    {
      matching: /^(?!(?:.*,)?secrets?(?:[./,]|$))(?!.*[,/]secrets?(?:[./,]|$))[^\u0000]+(?:\u0000|$)/i,
      why: ['may show secrets', 'look'],
    },
  ],
}

const KUBECTL: Verb = {
  names: ['kubectl'],
  options: { flags: KUBECTL_FLAGS, values: KUBECTL_VALUES, refused: KUBECTL_REFUSED, stopsAtOperand: true },
  verbs: [
    kubectl(
      'get',
      'L --show-labels --no-headers --ignore-not-found --show-kind --show-managed-fields --server-print',
      'o l L --output --selector --sort-by --field-selector --chunk-size --label-columns --template --subresource',
      NO_SECRETS,
    ),
    kubectl('describe', '--show-events', 'l --selector --chunk-size', NO_SECRETS),
    {
      ...kubectl(
        'logs',
        'p --previous --timestamps --all-containers --prefix --ignore-errors',
        'c l --container --selector --since --since-time --tail --limit-bytes --max-log-requests --pod-running-timeout',
      ),
      options: {
        flags: `${KUBECTL_FLAGS} p --previous --timestamps --all-containers --prefix --ignore-errors`,
        values: `${KUBECTL_VALUES} c l --container --selector --since --since-time --tail --limit-bytes --max-log-requests --pod-running-timeout`,
        refused: { ...KUBECTL_REFUSED, 'f --follow': ENDLESS },
      },
    },
    kubectl('top', '--no-headers --containers --sum', 'l --selector --sort-by --field-selector'),
    kubectl('version', '--client --short', 'o --output'),
    kubectl('explain', '--recursive', '--api-version o --output'),
    kubectl('api-resources', '--namespaced --no-headers', 'o --output --api-group --verbs --sort-by'),
    kubectl('api-versions'),
    { ...kubectl('cluster-info'), operands: [{ most: 0, why: 'may write files' }] },
    {
      names: ['config'],
      options: {},
      verbs: [kubectl('current-context get-contexts get-clusters view', '--no-headers --minify', 'o --output')],
      bare: 'needs `current-context` or `get-contexts`',
    },
  ],
  refusedVerbs: {
    exec: 'runs a program in a pod',
    delete: 'deletes objects',
    apply: 'changes objects',
    create: 'creates objects',
    edit: 'opens an editor',
    patch: 'changes objects',
    scale: 'changes objects',
    rollout: 'changes objects or waits',
    run: 'runs a pod',
    'port-forward': 'opens a port',
    proxy: 'opens a port',
    cp: 'copies files',
    attach: 'attaches to a pod',
    drain: 'empties a node',
    cordon: 'changes a node',
    wait: ['waits', 'neutral'],
  },
  bare: 'itself',
  strictEnvironment: true,
}

/** Looking at services through their own clients: they connect, but only to ask. */
export const REMOTE: Family = { title: 'Services', verbs: [GH, DOCKER, KUBECTL] }
