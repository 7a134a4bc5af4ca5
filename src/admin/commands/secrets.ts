import type { Command } from 'commander'
import type { ReencryptionResult } from '../../security/reencrypt.ts'
import { addSubcommand, commandAction, examplesHelp, withProgressBar } from './act.ts'
import type { AdminDeps } from './run.ts'

const rotateHelp = `
Run this command when every process has the new SECRET_KEY, and the old key as
SECRET_KEY_PREVIOUS. With the new key, the command re-encrypts what the service
still needs: the secrets of webhook endpoints, the second factors of staff and of merchants'
people, the stored first responses of the last 24 hours, and the keys of the audit trail and of
short codes. The service keeps running.

The service stores only a hash of each API key, and cannot compute the new hash
without the key. So each API key moves to the new SECRET_KEY at its next use. "keys"
lists the first hundred that have not moved. Keep SECRET_KEY_PREVIOUS until each of
them is used, rotated or revoked: run this command again until it prints
"mayDropPrevious": true. It never prints this while something needs a third key. In
that case, check that SECRET_KEY_PREVIOUS is the right one.

If the command is interrupted, run it again: it continues with the rest.
${examplesHelp('secrets rotate --json')}`

export function addSecretsCommands(program: Command): void {
  const secrets = addSubcommand(program, 'secrets', 'rotate SECRET_KEY')
  const description = 're-encrypt stored secrets with the current SECRET_KEY'
  addSubcommand(secrets, 'rotate', description, rotateHelp).action(commandAction(rotate))
}

async function rotate(deps: AdminDeps) {
  const { findStaleKeys } = await import('../../businesses/stale-keys.ts')
  const { unexpiredFilter } = await import('../../idempotency/request.ts')
  const { reencryptField } = await import('../../security/reencrypt.ts')
  const { reencryptSecrets } = await import('../../webhooks/endpoints/stored-secrets.ts')
  const counts = [deps.Endpoint.estimatedDocumentCount(), deps.StoredResponse.estimatedDocumentCount()]
  const [endpointCount = 0, responseCount = 0] = await Promise.all(counts)
  await deps.record({ act: 'secrets.rotated', subject: 'secrets', businessId: null })
  const where = unexpiredFilter(deps.now())
  const parts = await withProgressBar(deps, endpointCount + responseCount, async (advance) => ({
    endpoints: await reencryptSecrets(deps, advance),
    secondFactors: await reencryptField(deps, deps.Staff, 'secondFactor.secret'),
    peopleFactors: await reencryptField(deps, deps.Person, 'secondFactor.secret'),
    responses: await reencryptField(deps, deps.StoredResponse, 'response', { where, advance }),
    serviceKeys: await reencryptField(deps, deps.ServiceKey, 'key'),
  }))
  const keys = await findStaleKeys(deps)
  const unreadable = counted(parts, (part) => part.unreadable.length)
  const lost = Object.values(unreadable).reduce((sum, count) => sum + count, keys.unreadable.count)
  if (lost > 0) reportLost(unreadable, keys.unreadable.count)
  return {
    reencrypted: counted(parts, (part) => part.reencrypted),
    unreadable,
    unreadableEndpoints: parts.endpoints.unreadable.slice(0, 100).map((id) => ({ id })),
    unreadableStaff: parts.secondFactors.unreadable.slice(0, 100).map((name) => ({ name })),
    unreadablePeople: parts.peopleFactors.unreadable.slice(0, 100).map((id) => ({ id })),
    keysLeft: keys.stale.count,
    keys: keys.stale.keys,
    keysGone: keys.unreadable.count,
    goneKeys: keys.unreadable.keys,
    mayDropPrevious: keys.stale.count === 0 && lost === 0,
  }
}

const counted = (parts: Record<string, ReencryptionResult>, count: (part: ReencryptionResult) => number) =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, count(part)]))

function reportLost(unreadable: Record<string, number>, keys: number) {
  const { endpoints, secondFactors = 0, peopleFactors = 0, responses, serviceKeys } = unreadable
  process.exitCode = 1
  process.stderr.write(
    `${endpoints} endpoints, ${secondFactors + peopleFactors} second factors, ${responses} stored responses, ${serviceKeys} keys of the service itself and ${keys} API keys need a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS. They were not changed. ` +
      'Check SECRET_KEY_PREVIOUS for typos. If you have an older key, run only this command once more with the older key as SECRET_KEY_PREVIOUS.\n',
  )
}
