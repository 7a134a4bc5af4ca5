import type { mongo } from 'mongoose'
import { type FinalResponse, storeInTransaction, type WriteRequest } from '../idempotency/request.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { type Transaction, type Transactions, transaction } from '../mongo/transaction.ts'
import type { Models } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import { type AuditDetails, auditLine } from './audit-event.ts'

type TrailDeps = Pick<Models, 'AuditEvent'> & { now(): Date }

export type AuditedDeps = TrailDeps & { transactions: Transactions }

export interface AuditedAct {
  session: mongo.ClientSession
  by: By
  at: Date
  add(...lines: AuditDetails[]): Promise<void>
}

/** `documents` are ids that concurrent actions may also change. `work` may run several times. */
export const audited = <T>(
  deps: AuditedDeps,
  { by, ...options }: Transaction & { by: By },
  work: (act: AuditedAct) => Promise<T>,
): Promise<T> =>
  transaction(deps, options, async (session) => {
    await by.expectValid?.(session)
    const at = deps.now()
    const add = async (...lines: AuditDetails[]): Promise<void> => {
      const events = lines.map((about) => auditLine(by, at, about))
      if (events.length > 0) await nativeCollection(deps.AuditEvent).insertMany(events, { session })
    }
    return work({ session, by, at, add })
  })

/** Throws IDEMPOTENCY_REQUEST_IN_PROGRESS if the first request is still running at the deadline. */
export const auditedOnce = (
  deps: AuditedDeps & Pick<Models, 'StoredResponse'>,
  request: WriteRequest,
  { documents }: Pick<Transaction, 'documents'>,
  work: (act: AuditedAct) => Promise<unknown>,
) => {
  const { key, by, deadlineAt } = request
  const options = { documents: [key, ...documents], by, deadlineAt }
  return storeInTransaction(deps, request, (run) => audited<FinalResponse>(deps, options, run), work)
}

export const addLine = (deps: TrailDeps, by: By, about: AuditDetails): Promise<unknown> =>
  nativeCollection(deps.AuditEvent).insertOne(auditLine(by, deps.now(), about))
