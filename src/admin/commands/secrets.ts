import type { Command } from 'commander'
import type { StaleKey } from '../../businesses/stale-keys.ts'
import { act } from './act.ts'
import type { AdminDeps } from './run.ts'

/** The maximum number of endpoints, and of staff accounts, that the report lists. */
const maxListed = 100

const rotateHelp = `
Run this command when every process has the new SECRET_KEY, and the old key as
SECRET_KEY_PREVIOUS. The command encrypts again with the new key what the service
still needs: the secrets of webhook endpoints, the second factors of staff, the
stored first responses of the last 24 hours, and the keys of the audit trail and of
short codes. The service keeps running.

The service stores only a hash of each API key, and cannot compute the new hash
without the key. So each API key moves to the new SECRET_KEY at its next use. "keys"
lists the first hundred that have not moved. Keep SECRET_KEY_PREVIOUS until each of
them is used, rotated or revoked: run this command again until it prints
"mayDropPrevious": true. It never does while something needs a third key. In that
case, check that SECRET_KEY_PREVIOUS is the right one.

If the command is interrupted, run it again: it continues with the rest.`

interface Counts {
  endpoints: number
  secondFactors: number
  responses: number
  serviceKeys: number
}

/**
 * The result of a rotation. `unreadable` counts values that are encrypted with a key that is not configured. `keysGone`
 * counts API keys that cannot be used because their SECRET_KEY is not configured.
 */
interface Rotated {
  resealed: Counts
  unreadable: Counts
  unreadableEndpoints: { id: string }[]
  /** The first 100 staff accounts whose second factor is unreadable. */
  unreadableStaff: { name: string }[]
  keysLeft: number
  /** The first 100 of the API keys that are counted in `keysLeft`. */
  keys: StaleKey[]
  keysGone: number
  /** The first 100 of the API keys that are counted in `keysGone`. */
  goneKeys: StaleKey[]
  /** True if SECRET_KEY_PREVIOUS can be removed, because nothing depends on it or on a key that is not configured. */
  mayDropPrevious: boolean
}

/** Adds the `secrets rotate` command. */
export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('rotate SECRET_KEY')
  secrets
    .command('rotate')
    .description('encrypt stored secrets again with the current SECRET_KEY')
    .addHelpText('after', rotateHelp)
    .action(act(rotate))
}

async function rotate(deps: AdminDeps, _options: unknown, command: Command) {
  const { json } = command.optsWithGlobals<{ json?: boolean }>()
  const { findStaleKeys } = await import('../../businesses/stale-keys.ts')
  const { stillNeeded } = await import('../../idempotency/response.ts')
  const { resealField } = await import('../../security/reseal.ts')
  const { resealSecrets } = await import('../../webhooks/endpoints/reseal-secrets.ts')
  const { recordCommand } = await import('./operator.ts')
  const { startProgress } = await import('./progress.ts')
  const counts = [deps.Endpoint.estimatedDocumentCount(), deps.StoredResponse.estimatedDocumentCount()]
  const [endpointCount = 0, responseCount = 0] = await Promise.all(counts)
  await recordCommand(deps, 'secrets.rotated')
  const progress = startProgress(endpointCount + responseCount, json === true)
  try {
    const endpoints = await resealSecrets(deps, progress.add)
    const factors = await resealField(deps, deps.Staff, 'secondFactor.secret')
    const responses = await resealField(deps, deps.StoredResponse, 'response', {
      where: stillNeeded(deps.now()),
      advance: progress.add,
    })
    const serviceKeys = await resealField(deps, deps.ServiceKey, 'key')
    const { left, listed, gone, listedGone } = await findStaleKeys(deps)
    const unreadable = {
      endpoints: endpoints.unreadable.length,
      secondFactors: factors.unreadable.length,
      responses: responses.unreadable.length,
      serviceKeys: serviceKeys.unreadable.length,
    }
    const lost = Object.values(unreadable).reduce((sum, count) => sum + count, gone)
    if (lost > 0) reportLost(unreadable, gone)
    return {
      resealed: {
        endpoints: endpoints.resealed,
        secondFactors: factors.resealed,
        responses: responses.resealed,
        serviceKeys: serviceKeys.resealed,
      },
      unreadable,
      unreadableEndpoints: endpoints.unreadable.slice(0, maxListed).map((id) => ({ id })),
      unreadableStaff: factors.unreadable.slice(0, maxListed).map((name) => ({ name })),
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

/**
 * Reports on stderr how many values could not be rotated because their key is not configured, and sets the exit code to
 * 1. All other values have been rotated.
 */
function reportLost({ endpoints, secondFactors, responses, serviceKeys }: Rotated['unreadable'], keys: number): void {
  process.exitCode = 1
  process.stderr.write(
    `${endpoints} endpoints, ${secondFactors} second factors, ${responses} stored responses, ${serviceKeys} keys of the service itself and ${keys} API keys need a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS. They were not changed. ` +
      'Check SECRET_KEY_PREVIOUS for a typing error. If you have an older key, run only this command once more with the older key as SECRET_KEY_PREVIOUS.\n',
  )
}
