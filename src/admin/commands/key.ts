import { text as readAll } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { scopes as allScopes, type Scope } from '../../../schemas/scopes.ts'
import type { ApiKey } from '../../businesses/api-key.ts'
import type { KeyFacts, KeyInDetail, RecognisedKey } from '../../businesses/key-facts.ts'
import type { IdPage } from '../../mongo/id-page.ts'
import { keyActs } from '../../staff-acts/key-acts.ts'
import { keyShown, scopesInWords } from '../../staff-acts/shown.ts'
import * as cli from './act.ts'
import { choice, networkRanges, secondsArgument, someId, someScopes } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type CommandColumn, columnOf, detailsText } from './text.ts'

const showHelp = `
"blockedBy" lists every reason why requests with the key are rejected now.
"lastUsedDay" is the last UTC day on which the service accepted the key.
"secrets" lists the current secret, those in overlap after a rotation, and the last
ones that ended.
${cli.examples('key show ID')}`

const findHelp = `
Reads a whole key from standard input, never from an argument. The input may contain
other text, such as a line from a log. The command never prints the key.
"matched" is the secret that was found: current, overlap (an earlier secret that
still works) or ended (an earlier secret that no longer works).
The exit code is 1 if no key is found.
${cli.examples('key find < file', 'key find --last4 7fQx')}`

const ranges = 'comma-separated IP addresses and CIDR ranges that may use the key; defaults to all'
const createHelp = cli.examples(
  'key create --business ID --mode test --kind secret --scopes payments.intents:read,store.orders:read',
)
const liveRefundsExample = 'key list --mode live --scope payments.refunds:write --json'
const keyStatus = choice<ApiKey['status']>('active', 'suspended', 'revoked')

export function addKeyCommands(program: Command): void {
  const key = cli.subcommand(program, 'key', 'create and manage API keys')
  cli
    .subcommand(key, 'create', 'create a key and print it; it is not shown again', createHelp)
    .requiredOption('--business <id>', 'id of the business')
    .requiredOption('--mode <mode>', 'test or live', choice('test', 'live'))
    .requiredOption('--kind <kind>', 'secret or publishable', choice('secret', 'publishable'))
    .option('--scopes <list>', 'comma-separated scopes; defaults to all scopes', someScopes)
    .option('--ip <list>', ranges, networkRanges)
    .action(cli.commandAction(createKey))

  cli.addActCommands(key, keyActs)

  const overlap = 'how long the old secret keeps working'
  const rotateHelp = cli.examples('key rotate ID --overlap-seconds 3600')
  const rotating = 'create a new secret for a key; the old secret works until the overlap ends'
  cli
    .subcommandOnId(key, 'rotate', rotating, rotateHelp)
    .option('--overlap-seconds <n>', overlap, secondsArgument, 86_400)
    .action(cli.commandAction(rotate))

  const listHelp = cli.examples('key list --business ID --status active', liveRefundsExample)
  const list = cli
    .subcommand(key, 'list', 'list keys, newest first', listHelp)
    .option('--business <id>', 'only keys of this business', someId)
    .option('--mode <mode>', 'test or live', choice('test', 'live'))
    .option('--kind <kind>', 'secret or publishable', choice('secret', 'publishable'))
    .option('--status <status>', 'active, suspended or revoked', keyStatus)
    .addOption(new Option('--scope <scope>', 'only keys that have this scope').choices(allScopes))
  const loadList = async () => (await import('../../businesses/key-facts.ts')).listKeys
  cli.asList(list, shownInLists.map(columnOf), loadList)

  const shown = 'show what a key may do, where and when it is used, and whether it works'
  const load = async () => (await import('../../businesses/key-facts.ts')).lookUpKey
  cli.addShowCommand(key, shown, showHelp, load, keyText)

  cli
    .subcommand(key, 'find', 'find the key to which a secret belongs', findHelp)
    .option('--last4 <characters>', 'find keys by the last four characters of a current or earlier secret')
    .action(
      cli.commandAction(find, (result) =>
        'items' in result ? cli.pageText(matchColumns, result) : keyText(result),
      ),
    )
}

interface KeyOptions extends Pick<ApiKey, 'mode' | 'kind'> {
  business: string
  scopes?: Scope[]
  ip?: string[]
}

async function createKey(deps: AdminDeps, { business: businessId, mode, kind, scopes, ip = [] }: KeyOptions) {
  const { issueKey } = await import('../../businesses/change-key.ts')
  if (kind === 'publishable') {
    const { publishableScopes } = await import('../../http/routes/routes.ts')
    const unusable = scopes?.filter((scope) => !publishableScopes.includes(scope)) ?? []
    if (unusable.length > 0)
      throw new cli.CommandFailed(
        `A publishable key cannot use ${unusable.join(', ')}, but only ${publishableScopes.join(', ')}.`,
      )
  }
  const input = { businessId, mode, kind, scopes: scopes ?? [...allScopes], ipAllowlist: ip }
  return cli.orFail(await issueKey(deps, input, deps.by), `There is no business ${businessId}`)
}

async function rotate(deps: AdminDeps, id: string, { overlapSeconds }: { overlapSeconds: number }) {
  const { rotateKey } = await import('../../businesses/change-key.ts')
  const rotated = await rotateKey(deps, id, overlapSeconds, deps.by)
  return cli.orFail(rotated, `Key ${id} does not exist or is revoked`)
}

const shownInLists = (['id', 'key', 'business', 'status', 'scopes', 'createdAt', 'lastUsedDay'] as const).map(
  (name) => keyShown[name],
)

const keyText = ({ scopes, ipAllowlist, lastUsedDay, ...key }: KeyInDetail): string =>
  detailsText({
    ...key,
    scopes: scopesInWords(scopes),
    ipAllowlist: ipAllowlist.length === 0 ? 'every address' : ipAllowlist,
    lastUsedDay: lastUsedDay ?? 'never',
  })

type Match = KeyFacts & Pick<RecognisedKey, 'matched'>

async function find(deps: AdminDeps, { last4 }: { last4?: string }): Promise<RecognisedKey | IdPage<Match>> {
  if (last4 !== undefined) return findByLast4(deps, last4)
  const { recogniseKey, whyNoKey } = await import('../../businesses/key-facts.ts')
  const found = await recogniseKey(deps, await readKey())
  if (typeof found === 'string') throw new cli.CommandFailed(whyNoKey[found])
  return found
}

/** Four characters have 14 million combinations, so few keys match. */
const maxMatches = 500

async function findByLast4(deps: AdminDeps, last4: string): Promise<IdPage<Match>> {
  if (!/^[0-9A-Za-z]{4}$/.test(last4))
    throw new cli.CommandFailed('--last4 takes the last four characters of a key: letters and digits.')
  const { listKeys } = await import('../../businesses/key-facts.ts')
  const { items, next } = await listKeys(deps, { last4 }, { limit: maxMatches, after: null })
  if (items.length === 0) throw new cli.CommandFailed('No key has a secret with these last four characters.')
  const matched = ({ secrets }: KeyFacts) =>
    secrets.find((secret) => secret.last4 === last4)?.state ?? 'ended'
  return { items: items.map((facts) => ({ ...facts, matched: matched(facts) })), next }
}

const matchColumns: CommandColumn<Match>[] = [
  ...shownInLists.filter((field) => field !== keyShown.createdAt).map(columnOf),
  { title: 'MATCHED', cell: ({ matched }) => matched },
]

async function readKey(): Promise<string> {
  const { findKeysInText } = await import('../../businesses/api-key.ts')
  if (process.stdin.isTTY)
    process.stderr.write('Paste the key or the line that contains it, then press Enter and Ctrl-D.\n')
  const keys = findKeysInText(await readAll(process.stdin))
  const [key] = keys
  if (key !== undefined && keys.length === 1) return key
  throw new cli.CommandFailed(
    key === undefined
      ? 'Standard input contains no API key. Keys begin with sk_test_, sk_live_, pk_test_ or pk_live_.'
      : `Standard input contains ${keys.length} keys. Pass one at a time.`,
  )
}
