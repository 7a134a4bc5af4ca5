import type { IntentDocument } from '../../../invariants/documents.ts'
import { groupsOf, having } from '../groups.ts'
import { dataOf, errorOf, isReplay, type ShownIntent } from '../responses.ts'
import type { Check } from '../round.ts'
import { lateMs } from '../times.ts'

/**
 * A merchant's reference belongs to at most one PENDING, PAID or REFUNDED intent of a business and environment, and is
 * refused only while such an intent has it.
 */
export const referenceUnique: Check = function* (round) {
  const { dump, requests, calls, times, mayBeCleaned, setting } = round
  const byReference = groupsOf(
    dump.intents.filter(({ merchantReference }) => merchantReference !== null),
    ({ businessId, sandbox, merchantReference }) => scopeOf(businessId, sandbox, merchantReference),
  )
  /** When each intent was created, and when it was certainly stored. */
  const created = new Map(
    having(requests, 'create').flatMap(({ settled }) => {
      const { referenceNumber, createdAt } = dataOf<ShownIntent>(settled) ?? {}
      if (settled === null || referenceNumber === undefined || createdAt === undefined) return []
      return [[referenceNumber, { at: Date.parse(createdAt), by: times.shownOf(settled).to }]]
    }),
  )
  const isStored = ({ referenceNumber }: IntentDocument, at: number): boolean =>
    (created.get(referenceNumber)?.by ?? Number.POSITIVE_INFINITY) < at
  for (const [reference, some] of byReference)
    for (const [index, one] of some.entries())
      for (const other of some.slice(index + 1))
        if (isStored(one, freedAt(other)) && isStored(other, freedAt(one)))
          yield [reference, `belongs to ${one.referenceNumber} and ${other.referenceNumber} at the same time`]

  for (const call of having(calls, 'create')) {
    if (errorOf(call)?.code !== 'MERCHANT_REFERENCE_TAKEN' || isReplay(call)) continue
    const { business, sandbox } = call
    const holder = errorOf(call)?.details?.referenceNumber ?? ''
    const { merchantReference } = call.body as { merchantReference: string }
    const reference = scopeOf(business, sandbox, merchantReference)
    const { from, to } = times.shownOf(call)
    const isHeld = (byReference.get(reference) ?? []).some(
      (intent) => intent.createdAt <= to && freedAt(intent) + lateBy(intent) >= from,
    )
    const createdAt = created.get(holder)?.at ?? setting.beganAt
    if (!isHeld && !mayBeCleaned({ sandbox: sandbox === true, createdAt }))
      yield [reference, `was refused in call ${call.call}, and no intent had it`]
  }
}

const scopeOf = (business: string | null, sandbox: boolean | null, reference: string | null): string =>
  `${business} ${sandbox ? 'test' : 'live'} ${reference}`

/** The earliest time at which another intent may get the reference of an intent. */
const freedAt = ({ status, updatedAt }: IntentDocument): number =>
  status === 'CANCELLED' || status === 'FAILED' ? updatedAt : Number.POSITIVE_INFINITY

/** How much later the write that frees a reference may come. An expiry needs no write. */
const lateBy = ({ updatedAt, expiresAt }: IntentDocument): number => (updatedAt === expiresAt ? 0 : lateMs)
