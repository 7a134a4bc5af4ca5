import type { By } from '../../audit/audit-event.ts'
import { type Config, loadConfig } from '../../config.ts'
import { connectMongo } from '../../mongo/connect.ts'
import { noShift, openDatabaseTime } from '../../mongo/database-time.ts'
import { type Models, openModels, withModels } from '../../mongo/models.ts'
import { openTransactions, type Transactions } from '../../mongo/transaction.ts'
import { createLog } from '../../process/log.ts'
import { createSecrets, type Secrets } from '../../security/seal.ts'
import { createSlowHash, type SlowHash } from '../../security/slow-hash.ts'
import { explainError } from './explain-error.ts'
import { operator } from './operator.ts'
import { jsonText } from './text.ts'

/**
 * The dependencies of the command line, which does not need Redis. `by` is the operator who runs the command, with the
 * value of `--reason`.
 */
export type AdminDeps = Models & {
  config: Config
  secrets: Secrets
  slowHash: SlowHash
  transactions: Transactions
  by: By
  now(): Date
}

/** How to print a command's result, and the exit code if the command fails. */
interface Output<Result> {
  asJson: boolean
  toText(result: Result): string | Promise<string>
  failureCode: number
}

/**
 * Runs one command and prints its result on stdout, as JSON or with `toText`. If the command fails, prints one line on
 * stderr and sets the exit code.
 */
export async function withAdminDeps<Result extends object>(
  reason: string | undefined,
  run: (deps: AdminDeps) => Promise<Result>,
  { asJson, toText, failureCode }: Output<Result>,
): Promise<void> {
  try {
    const config = loadConfig()
    const log = createLog('silent', 'admin', null)
    const mongo = await connectMongo(config, log, {})
    try {
      const { now, close } = await openDatabaseTime(mongo, log, noShift)
      const secrets = createSecrets(config.secretKeys)
      const slowHash = createSlowHash(config.hashMemoryKib)
      const transactions = openTransactions(mongo)
      const by = operator(reason)
      const deps = withModels(openModels(mongo), { config, secrets, slowHash, transactions, by, now })
      const result = await run(deps).finally(close)
      const text = asJson ? jsonText(result) : await toText(result)
      if (text !== '') process.stdout.write(`${text}\n`)
    } finally {
      await mongo.destroy()
    }
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`)
    process.exitCode = failureCode
  }
}
