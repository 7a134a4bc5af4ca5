import type { mongo } from 'mongoose'
import type { Models } from '../mongo/models.ts'
import { type Transactions, transaction } from '../mongo/transaction.ts'
import { addLines } from './add-lines.ts'
import { type AuditEvent, auditLine, type By } from './audit-event.ts'

export type AuditedDeps = Pick<Models, 'AuditEvent'> & { transactions: Transactions; now(): Date }

/** What an act has besides its actor: the fields of its audit line. */
type About = Omit<Parameters<typeof auditLine>[0], 'at' | keyof By>

export interface AuditedAct {
  session: mongo.ClientSession
  /** The time of the act and its lines. */
  at: Date
  add(...lines: About[]): Promise<void>
}

/** As long as an API request may wait for MongoDB (http/server/deadline.ts). */
const longestMs = 8_000

/**
 * Runs an act of staff or an operator in one transaction with its audit lines. `documents` are those that other acts
 * may change at the same time. Like every transaction, `work` may run several times.
 */
export const audited = <T>(
  deps: AuditedDeps,
  { documents, by: { actor, reason } }: { documents: readonly string[]; by: By },
  work: (act: AuditedAct) => Promise<T>,
): Promise<T> =>
  transaction(deps, { documents, deadlineAt: performance.now() + longestMs }, (session) => {
    const at = deps.now()
    const lineOf = (about: About): AuditEvent => auditLine({ at, actor, reason, ...about })
    return work({ session, at, add: (...lines) => addLines(deps, lines.map(lineOf), session) })
  })
