import type { mongo } from 'mongoose'
import { type FinalResponse, storeInTransaction, type WriteRequest } from '../idempotency/request.ts'
import { rawCollection } from '../mongo/collection.ts'
import { type TransactionScope, type Transactions, transaction } from '../mongo/transaction.ts'
import type { Models } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import { type AuditLineInput, newAuditLine } from './audit-event.ts'

type TrailDeps = Pick<Models, 'AuditEvent'> & { now(): Date }

export type AuditedDeps = TrailDeps & { transactions: Transactions }

export interface AuditContext {
  session: mongo.ClientSession
  by: Author
  at: Date
  add(...lines: AuditLineInput[]): Promise<void>
}

/** `work` may run several times. */
export const runAudited = <T>(
  deps: AuditedDeps,
  { by, ...options }: TransactionScope & { by: Author },
  work: (act: AuditContext) => Promise<T>,
): Promise<T> =>
  transaction(deps, options, async (session) => {
    await by.expectValid?.(session)
    const at = deps.now()
    const add = async (...lines: AuditLineInput[]): Promise<void> => {
      const events = lines.map((about) => newAuditLine(by, at, about))
      if (events.length > 0) await rawCollection(deps.AuditEvent).insertMany(events, { session })
    }
    return work({ session, by, at, add })
  })

export const runAuditedOnce = (
  deps: AuditedDeps & Pick<Models, 'StoredResponse'>,
  request: WriteRequest,
  { documents }: Pick<TransactionScope, 'documents'>,
  work: (act: AuditContext) => Promise<unknown>,
) => {
  const { key, by, deadlineAt } = request
  const options = { documents: [key, ...documents], by, deadlineAt }
  return storeInTransaction(deps, request, (run) => runAudited<FinalResponse>(deps, options, run), work)
}

export const addAuditLine = (deps: TrailDeps, by: Author, about: AuditLineInput): Promise<unknown> =>
  rawCollection(deps.AuditEvent).insertOne(newAuditLine(by, deps.now(), about))

/** A form that is sent again adds no second line. Resolves to whether it added one. */
export const addAuditLineOnce = (deps: AuditedDeps, by: Author, form: string, about: AuditLineInput) =>
  runAudited(deps, { documents: [form], by }, async ({ session, add }) => {
    const ofForm = { act: about.act, subject: about.subject, 'after.form': form }
    const isNew = (await rawCollection(deps.AuditEvent).countDocuments(ofForm, { session })) === 0
    if (isNew) await add({ ...about, after: { ...about.after, form } })
    return isNew
  })
