import { hostname, userInfo } from 'node:os'
import mongoose from 'mongoose'
import type { AuditLineInput } from '../../audit/audit-event.ts'
import { addAuditLine } from '../../audit/audited.ts'
import { loadConfig } from '../../config/config.ts'
import { addModels, openModels } from '../../context/models.ts'
import { isMaxTimeError } from '../../mongo/collection.ts'
import { connectMongo } from '../../mongo/connect.ts'
import { noClockShift, openDatabaseTime } from '../../mongo/database-time.ts'
import { openTransactions } from '../../mongo/transaction.ts'
import type { Deps, Models } from '../../platform/deps.ts'
import { Refusal } from '../../platform/errors.ts'
import { createLog } from '../../platform/log.ts'
import type { Author } from '../../security/actor.ts'
import { createEncrypter } from '../../security/encrypt.ts'
import { createSlowHash } from '../../security/slow-hash.ts'
import { escapeUnsafe, toSafeJson } from './text.ts'

type ServiceDeps = Pick<Deps, keyof Models | 'config' | 'now' | 'secrets' | 'slowHash' | 'transactions'>

export interface AdminDeps extends ServiceDeps {
  by: Author
  asJson: boolean
  /** Call this first if the command's function adds no audit line itself. */
  record(about: AuditLineInput): Promise<unknown>
  /** The first Ctrl-C aborts this signal. A second one ends the process. */
  onCtrlC(): AbortSignal
}

interface Output<Result> {
  asJson: boolean
  toText(result: Result): string | Promise<string>
  failureCode: number
}

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
      const { now, close } = await openDatabaseTime(mongo, log, noClockShift)
      const secrets = createEncrypter(config.secretKeys)
      const slowHash = createSlowHash(config.hashMemoryKib)
      const transactions = openTransactions(mongo)
      const models = openModels(mongo)
      const actor = { kind: 'operator', name: userName(), from: hostname() } as const
      const by: Author = { actor, reason: reason ?? null }
      const record = (about: AuditLineInput) => addAuditLine({ ...models, now }, by, about)
      const parts = { config, secrets, slowHash, transactions, by, asJson, now, record, onCtrlC }
      const result = await run(addModels(models, parts)).finally(close)
      const text = asJson ? toSafeJson(result) : await toText(result)
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

/** In a container, the user may not have a name. */
function userName() {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

const { MongoNetworkError, MongoServerSelectionError, MongoServerError } = mongoose.mongo

const authenticationFailed = 18

/** Never shows a password from MONGODB_URL. */
function explainError(error: unknown) {
  const message = error instanceof Error ? error.message : String(error)
  const detail = escapeUnsafe(message.replaceAll(/\/\/[^\s/]*@/g, '//').trim())
  if (
    error instanceof mongoose.Error.MongooseServerSelectionError ||
    error instanceof MongoServerSelectionError
  )
    return `MongoDB cannot be reached${hostsOf(error)} (MONGODB_URL): ${detail}. Check that it is running and accepts connections from this machine.`
  if (error instanceof MongoNetworkError)
    return `The connection to MongoDB was lost: ${detail}. The command may have taken effect. Check its result before you run it again.`
  if (error instanceof Refusal && error.code === 'SERVICE_UNAVAILABLE')
    return 'MongoDB did not respond in time. The command may have taken effect. Check its result before you run it again.'
  if (error instanceof MongoServerError && error.code === authenticationFailed)
    return 'MongoDB rejected the user name or the password in MONGODB_URL.'
  if (isMaxTimeError(error)) return 'MongoDB took too long. Narrow the search down with more options.'
  return detail
}

function hostsOf(error: object) {
  const servers = (error as { reason?: { servers?: unknown } }).reason?.servers
  return servers instanceof Map && servers.size > 0 ? ` at ${[...servers.keys()].join(', ')}` : ''
}
