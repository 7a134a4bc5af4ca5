import { hostname, userInfo } from 'node:os'
import mongoose from 'mongoose'
import type { AuditDetails } from '../../audit/audit-event.ts'
import { addLine } from '../../audit/audited.ts'
import { loadConfig } from '../../config/config.ts'
import { openModels, withModels } from '../../context/models.ts'
import { isTooSlow } from '../../mongo/collection.ts'
import { connectMongo } from '../../mongo/connect.ts'
import { noShift, openDatabaseTime } from '../../mongo/database-time.ts'
import { openTransactions } from '../../mongo/transaction.ts'
import type { Deps, Models } from '../../platform/deps.ts'
import { Refusal } from '../../platform/errors.ts'
import { createLog } from '../../platform/log.ts'
import type { By } from '../../security/actor.ts'
import { createSecrets } from '../../security/encrypt.ts'
import { createSlowHash } from '../../security/slow-hash.ts'
import { escapeText, jsonText } from './text.ts'

/** The command line needs no Redis. */
export type AdminDeps = Pick<
  Deps,
  keyof Models | 'config' | 'now' | 'secrets' | 'slowHash' | 'transactions'
> & {
  /** The operator who runs the command, with the value of `--reason`. */
  by: By
  asJson: boolean
  /** Adds a line to the audit trail. Commands that aren't one of a domain's acts call it before anything else. */
  record(about: AuditDetails): Promise<unknown>
  /** The first Ctrl-C aborts this signal. A second one ends the process immediately. */
  onCtrlC(): AbortSignal
}

interface Output<Result> {
  asJson: boolean
  toText(result: Result): string | Promise<string>
  failureCode: number
}

/** Prints the result on stdout, or one line about a failure on stderr, and sets the exit code. */
export async function withAdminDeps<Result extends object>(
  reason: string | undefined,
  run: (deps: AdminDeps) => Promise<Result>,
  { asJson, toText, failureCode }: Output<Result>,
): Promise<void> {
  const ending = new AbortController()
  const stop = () => ending.abort()
  const onCtrlC = () => {
    process.once('SIGINT', stop)
    return ending.signal
  }
  try {
    const config = loadConfig()
    const log = createLog('silent', 'admin', null)
    const mongo = await connectMongo(config, log, {})
    try {
      const { now, close } = await openDatabaseTime(mongo, log, noShift)
      const secrets = createSecrets(config.secretKeys)
      const slowHash = createSlowHash(config.hashMemoryKib)
      const transactions = openTransactions(mongo)
      const models = openModels(mongo)
      const by = operator(reason)
      const record = (about: AuditDetails) => addLine({ ...models, now }, by, about)
      const parts = { config, secrets, slowHash, transactions, by, asJson, now, record, onCtrlC }
      const result = await run(withModels(models, parts)).finally(close)
      const text = asJson ? jsonText(result) : await toText(result)
      if (text !== '') process.stdout.write(`${text}\n`)
    } finally {
      await mongo.destroy()
    }
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`)
    process.exitCode = failureCode
  } finally {
    process.off('SIGINT', stop)
  }
}

/** The operating system's current user, as the actor for the audit trail. */
const operator = (reason?: string): By => ({
  actor: { kind: 'operator', name: userName(), from: hostname() },
  reason: reason ?? null,
})

/** In a container, the user may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

const { MongoNetworkError, MongoServerSelectionError, MongoServerError } = mongoose.mongo

/** MongoDB's code for a wrong user name or password. */
const authenticationFailed = 18

/** One sentence, never with a password from MONGODB_URL. */
function explainError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const detail = escapeText(message.replaceAll(/\/\/[^\s/]*@/g, '//').trim())
  if (
    error instanceof mongoose.Error.MongooseServerSelectionError ||
    error instanceof MongoServerSelectionError
  ) {
    const hosts = hostsOf(error)
    return `MongoDB cannot be reached${hosts === '' ? '' : ` at ${hosts}`} (MONGODB_URL): ${detail}. Check that it is running and accepts connections from this machine.`
  }
  if (error instanceof MongoNetworkError)
    return `The connection to MongoDB was lost: ${detail}. The command may have taken effect. Check its result before you run it again.`
  if (error instanceof Refusal && error.code === 'SERVICE_UNAVAILABLE')
    return 'MongoDB did not respond in time. The command may have taken effect. Check its result before you run it again.'
  if (error instanceof MongoServerError && error.code === authenticationFailed)
    return 'MongoDB rejected the user name or the password in MONGODB_URL.'
  if (isTooSlow(error)) return 'MongoDB took too long. Narrow the search down with more options.'
  return detail
}

/** Addresses that the driver has contacted, such as `127.0.0.1:27017`. The error has the state of each server. */
function hostsOf(error: object): string {
  const servers = (error as { reason?: { servers?: unknown } }).reason?.servers
  return servers instanceof Map ? [...servers.keys()].join(', ') : ''
}
