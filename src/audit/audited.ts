import type { mongo } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../context/models.ts'
import { type Transaction, type Transactions, transaction } from '../mongo/transaction.ts'
import { type About, auditLine, type By } from './audit-event.ts'

type TrailDeps = Pick<Models, 'AuditEvent'> & { now(): Date }

export type AuditedDeps = TrailDeps & { transactions: Transactions }

export interface AuditedAct {
  session: mongo.ClientSession
  by: By
  /** The time of the act and its lines. */
  at: Date
  add(...lines: About[]): Promise<void>
}

/**
 * Runs an act in one transaction with its audit lines, unless its actor's session has ended. `documents` are those that
 * other acts may change at the same time. Like every transaction, `work` may run several times.
 */
export const audited = <T>(
  deps: AuditedDeps,
  { by, ...options }: Transaction & { by: By },
  work: (act: AuditedAct) => Promise<T>,
): Promise<T> =>
  transaction(deps, options, async (session) => {
    await by.expectValid?.(session)
    const at = deps.now()
    const add = async (...lines: About[]): Promise<void> => {
      const events = lines.map((about) => auditLine(by, at, about))
      if (events.length > 0) await nativeCollection(deps.AuditEvent).insertMany(events, { session })
    }
    return work({ session, by, at, add })
  })

/** Adds the line about an act that changes no document. */
export const addLine = (deps: TrailDeps, by: By, about: About): Promise<unknown> =>
  nativeCollection(deps.AuditEvent).insertOne(auditLine(by, deps.now(), about))
