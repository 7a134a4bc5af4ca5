import { text as readAll } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { type ApiScope, apiScopes as allScopes } from '../../../schemas/scopes.ts'
import type { ApiKey } from '../../businesses/api-key.ts'
import type { KeyDetails, KeyFacts, RecognisedKey } from '../../businesses/key-facts.ts'
import type { IdPage } from '../../mongo/id-page.ts'
import { apiKeyActions } from '../../staff-acts/key-acts.ts'
import { describeScopes, keyDisplay } from '../../staff-acts/shown.ts'
import * as cli from './act.ts'
import { choiceParser, idArgument, parseIpRanges, parseScopes, parseSeconds } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type CommandColumn, detailsText, toColumn } from './text.ts'

const showHelp = `
"blockedBy" lists every reason why requests with the key are rejected now.
"lastUsedDay" is the last UTC day on which the service accepted the key.
"secrets" lists the current secret, those in overlap after a rotation, and the last
ones that ended.
${cli.examplesHelp('key show ID')}`

const findHelp = `
Reads a whole key from standard input, never from an argument. The input may contain
other text, such as a line from a log. The command never prints the key.
"matched" is the secret that was found: current, overlap (an earlier secret that
still works) or ended (an earlier secret that no longer works).
The exit code is 1 if no key is found.
${cli.examplesHelp('key find < file', 'key find --last4 7fQx')}`

const ranges = 'comma-separated IP addresses and CIDR ranges that may use the key; defaults to all'
const createHelp = cli.examplesHelp(
  'key create --business ID --mode test --kind secret --scopes payments.intents:read,store.orders:read',
)
const liveRefundsExample = 'key list --mode live --scope payments.refunds:write --json'
const keyStatus = choiceParser<ApiKey['status']>('active', 'suspended', 'revoked')

export function addKeyCommands(program: Command): void {
  const key = cli.addSubcommand(program, 'key', 'create and manage API keys')
  cli
    .addSubcommand(key, 'create', 'create a key and print it; it is not shown again', createHelp)
    .requiredOption('--business <id>', 'id of the business')
    .requiredOption('--mode <mode>', 'test or live', choiceParser('test', 'live'))
    .requiredOption('--kind <kind>', 'secret or publishable', choiceParser('secret', 'publishable'))
    .option('--scopes <list>', 'comma-separated scopes; defaults to all scopes', parseScopes)
    .option('--ip <list>', ranges, parseIpRanges)
    .action(cli.commandAction(createKey))

  cli.addActCommands(key, apiKeyActions)

  const overlap = 'how long the old secret keeps working'
  const rotateHelp = cli.examplesHelp('key rotate ID --overlap-seconds 3600')
  const rotating = 'create a new secret for a key; the old secret works until the overlap ends'
  cli
    .subcommandOnId(key, 'rotate', rotating, rotateHelp)
    .option('--overlap-seconds <n>', overlap, parseSeconds, 86_400)
    .action(cli.commandAction(rotate))

  const listHelp = cli.examplesHelp('key list --business ID --status active', liveRefundsExample)
  const list = cli
    .addSubcommand(key, 'list', 'list keys, newest first', listHelp)
    .option('--business <id>', 'only keys of this business', idArgument)
    .option('--mode <mode>', 'test or live', choiceParser('test', 'live'))
    .option('--kind <kind>', 'secret or publishable', choiceParser('secret', 'publishable'))
    .option('--status <status>', 'active, suspended or revoked', keyStatus)
    .addOption(new Option('--scope <scope>', 'only keys that have this scope').choices(allScopes))
  const loadList = async () => (await import('../../businesses/key-facts.ts')).listKeys
  cli.addListAction(list, shownInLists.map(toColumn), loadList)

  const shown = 'show what a key may do, where and when it is used, and whether it works'
  const load = async () => (await import('../../businesses/key-facts.ts')).lookUpKey
  cli.addShowCommand(key, shown, showHelp, load, keyText)

  cli
    .addSubcommand(key, 'find', 'find the key that a secret belongs to', findHelp)
    .option('--last4 <characters>', 'find keys by the last four characters of a current or earlier secret')
    .action(
      cli.commandAction(find, (result) =>
        'items' in result ? cli.pageText(matchColumns, result) : keyText(result),
      ),
    )
}

interface KeyOptions extends Pick<ApiKey, 'mode' | 'kind'> {
  business: string
  scopes?: ApiScope[]
  ip?: string[]
}

async function createKey(deps: AdminDeps, { business: businessId, mode, kind, scopes, ip = [] }: KeyOptions) {
  const { issueApiKey } = await import('../../businesses/change-key.ts')
  if (kind === 'publishable') {
    const { publishableScopes } = await import('../../http/routes/routes.ts')
    const unusable = scopes?.filter((scope) => !publishableScopes.includes(scope)) ?? []
    if (unusable.length > 0)
      throw new cli.CommandFailed(
        `A publishable key cannot use ${unusable.join(', ')}, but only ${publishableScopes.join(', ')}.`,
      )
  }
  const input = { businessId, mode, kind, scopes: scopes ?? [...allScopes], ipAllowlist: ip }
  return cli.orFail(await issueApiKey(deps, input, deps.by), `There is no business ${businessId}`)
}

async function rotate(deps: AdminDeps, id: string, { overlapSeconds }: { overlapSeconds: number }) {
  const { rotateApiKey } = await import('../../businesses/change-key.ts')
  const rotated = await rotateApiKey(deps, id, overlapSeconds, deps.by)
  return cli.orFail(rotated, `Key ${id} does not exist or is revoked`)
}

const shownInLists = (['id', 'key', 'business', 'status', 'scopes', 'createdAt', 'lastUsedDay'] as const).map(
  (name) => keyDisplay[name],
)

const keyText = ({ scopes, ipAllowlist, lastUsedDay, ...key }: KeyDetails) =>
  detailsText({
    ...key,
    scopes: describeScopes(scopes),
    ipAllowlist: ipAllowlist.length === 0 ? 'every address' : ipAllowlist,
    lastUsedDay: lastUsedDay ?? 'never',
  })

type Match = KeyFacts & Pick<RecognisedKey, 'matched'>

async function find(deps: AdminDeps, { last4 }: { last4?: string }): Promise<RecognisedKey | IdPage<Match>> {
  if (last4 !== undefined) return findByLast4(deps, last4)
  const { recogniseKey, unknownKeyTexts } = await import('../../businesses/key-facts.ts')
  const found = await recogniseKey(deps, await readKey())
  if (typeof found === 'string') throw new cli.CommandFailed(unknownKeyTexts[found])
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
  ...shownInLists.filter((field) => field !== keyDisplay.createdAt).map(toColumn),
  { title: 'MATCHED', cell: ({ matched }) => matched },
]

async function readKey() {
  const { findApiKeysInText } = await import('../../businesses/api-key.ts')
  if (process.stdin.isTTY)
    process.stderr.write('Paste the key or the line that contains it, then press Enter and Ctrl-D.\n')
  const keys = findApiKeysInText(await readAll(process.stdin))
  const [key] = keys
  if (key !== undefined && keys.length === 1) return key
  throw new cli.CommandFailed(
    key === undefined
      ? 'Standard input contains no API key. Keys begin with sk_test_, sk_live_, pk_test_ or pk_live_.'
      : `Standard input contains ${keys.length} keys. Pass one at a time.`,
  )
}
