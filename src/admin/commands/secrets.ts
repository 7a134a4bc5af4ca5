import type { Command } from 'commander'
import { findKeysLeft, type KeyLeft } from '../../businesses/keys-left.ts'
import { resealAnswers } from '../../idempotency/reseal-responses.ts'
import { resealSecrets } from '../../webhooks/endpoints/reseal-secrets.ts'
import { act } from './act.ts'
import { startProgress } from './progress.ts'
import type { AdminDeps } from './run.ts'

/** So many endpoints are listed that cannot be read. */
const mostListed = 100

const rotateHelp = `
Run it when every process has the new SECRET_KEY, and the old one as
SECRET_KEY_PREVIOUS. What the old one sealed and is still needed is sealed with
the new one: the secrets of webhook endpoints, and the stored first responses of
the last 24 hours. The service runs on meanwhile.

Of an API key only a hash is stored, which cannot be made anew without the key:
it moves to the new SECRET_KEY when it is used next. Those that have not are
under "keys", the first hundred of them. SECRET_KEY_PREVIOUS must stay until each
of them was used, rotated or revoked: run this again, until it says
"mayDropPrevious": true. It never does while something needs a third key, which
may be the one that SECRET_KEY_PREVIOUS should have been.

Killed half-way, run it again: what is done is not done twice.`

/** What is there after a rotation. `unreadable`: sealed with a key that is not configured. `keysGone`: keys that nobody can use for that reason. */
interface Rotated {
  resealed: { endpoints: number; answers: number }
  unreadable: { endpoints: number; answers: number }
  unreadableEndpoints: { id: string }[]
  keysLeft: number
  /** The first hundred. */
  keys: KeyLeft[]
  keysGone: number
  /** The first hundred. */
  goneKeys: KeyLeft[]
  /** That nothing needs it, and that nothing needs what may have been meant instead. */
  mayDropPrevious: boolean
}

/** `secrets rotate`. */
export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('data that SECRET_KEY protects')
  secrets
    .command('rotate')
    .description('encrypt data with the current SECRET_KEY that still uses the previous one')
    .addHelpText('after', rotateHelp)
    .action(act(rotate))
}

async function rotate(deps: AdminDeps, _options: unknown, command: Command) {
  const { json } = command.optsWithGlobals<{ json?: boolean }>()
  const counts = [deps.Endpoint.estimatedDocumentCount(), deps.Claim.estimatedDocumentCount()]
  const [endpointsThere = 0, claimsThere = 0] = await Promise.all(counts)
  const progress = startProgress(endpointsThere + claimsThere, json === true)
  try {
    const endpoints = await resealSecrets(deps, progress.add)
    const answers = await resealAnswers(deps, progress.add)
    const { left, listed, gone, listedGone } = await findKeysLeft(deps)
    const unreadable = { endpoints: endpoints.unreadable.length, answers: answers.unreadable }
    const lost = unreadable.endpoints + unreadable.answers + gone
    if (lost > 0) tellLost(unreadable, gone)
    return {
      resealed: { endpoints: endpoints.resealed, answers: answers.resealed },
      unreadable,
      unreadableEndpoints: endpoints.unreadable.slice(0, mostListed).map((id) => ({ id })),
      keysLeft: left,
      keys: listed,
      keysGone: gone,
      goneKeys: listedGone,
      mayDropPrevious: left === 0 && lost === 0,
    } satisfies Rotated
  } finally {
    progress.end()
  }
}

/** The report is printed all the same: what has the lost key is no reason to keep the rest from its own. */
function tellLost({ endpoints, answers }: Rotated['unreadable'], keys: number): void {
  process.exitCode = 1
  process.stderr.write(
    `${endpoints} endpoints, ${answers} stored answers and ${keys} API keys need a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS, and stay as they are. ` +
      'See first that SECRET_KEY_PREVIOUS is not mistyped. If you have an older key, run this once with it as SECRET_KEY_PREVIOUS: this command alone, for the processes need theirs.\n',
  )
}
