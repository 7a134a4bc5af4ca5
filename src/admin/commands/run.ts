import { type Config, loadConfig } from '../../config.ts'
import { connectMongo } from '../../mongo/connect.ts'
import { noShift, openDatabaseTime } from '../../mongo/database-time.ts'
import { type Models, openModels } from '../../mongo/models.ts'
import { createLog } from '../../process/log.ts'
import { createSecrets, type Secrets } from '../../security/seal.ts'
import { createSlowHash, type SlowHash } from '../../security/slow-hash.ts'

/** The dependencies of the command line, which does not need Redis. */
export type AdminDeps = Models & { config: Config; secrets: Secrets; slowHash: SlowHash; now(): Date }

/** An expected failure of a command. The message is shown to the operator. */
export class Failed extends Error {}

/**
 * Runs one command and prints its result on stdout. If the command fails, prints one line on stderr and sets the exit
 * code to 1.
 */
export async function withAdminDeps(
  asJson: boolean,
  run: (deps: AdminDeps) => Promise<Record<string, unknown>>,
): Promise<void> {
  try {
    const config = loadConfig()
    const log = createLog('silent', 'admin', null)
    const mongo = await connectMongo(config.mongodbUrl, log, {})
    try {
      const { now, close } = await openDatabaseTime(mongo, log, noShift)
      const secrets = createSecrets(config.secretKeys)
      const deps = { ...openModels(mongo), config, secrets, slowHash: createSlowHash(), now }
      print(asJson, await run(deps).finally(close))
    } finally {
      await mongo.destroy()
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

function print(asJson: boolean, result: Record<string, unknown>): void {
  const lines = Object.entries(result).map(([name, value]) => `${name}: ${formatValue(value)}`)
  process.stdout.write(`${asJson ? JSON.stringify(result) : lines.join('\n')}\n`)
}

/** Formats an object with named counts as `name 3, other 5`, and a list with each item on its own line. */
function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value) && value.length > 0)
    return value.map((one: object) => `\n  ${Object.values(one).join('  ').trimEnd()}`).join('')
  const counts = Object.entries(value).map(([name, count]) => `${name} ${String(count)}`)
  return counts.length === 0 ? 'none' : counts.join(', ')
}
