import type { Call } from '../../evidence/evidence.ts'
import { refusalOf } from '../views/answers.ts'
import { isSettled } from '../views/requests.ts'
import { changed, failedAsAsked, notPending } from './of-intents.ts'
import { notGivenBack, notRefundable, notWhatIsLeft, tooMuch } from './of-refunds.ts'
import { notInStock } from './of-stock.ts'
import {
  noDelivery,
  noEndpoint,
  noIntent,
  noOrder,
  noProduct,
  noShop,
  tooManyEndpoints,
} from './of-things.ts'
import type { Reason } from './refusal.ts'
import { tooSlow } from './too-slow.ts'

/** The claim of a try that died lasts 10 s (docs/idempotency.md), which a second process finds out. */
const claimMs = 30_000

/** Another try of its key was under way, or had died. From the first answer on that stays, nobody is any more: that answer is there for all. */
const hold: Reason = (_round, { call, request }) => {
  const others = (request?.tries ?? []).filter((other) => other !== call)
  const isAnswered = others.some((other) => isSettled(other) && other.ended <= call.began)
  const isNear = (other: Call) => other.began <= call.ended && other.ended + claimMs >= call.began
  return !isAnswered && others.some(isNear)
}

/** What a key may ask in a second, and how many lists of a business run at a time (docs/api.md). */
const mostPerSecond = 1000
const mostLists = 2
/** A list goes on for so long at most after its caller has gone: MongoDB may have no primary. */
const listMs = 30_000

const tooOften: Reason = (round, refusal) =>
  refusalOf(refusal.call)?.details?.scope === 'lists' ? tooManyLists(round, refusal) : tooFast(round, refusal)

const tooFast: Reason = ({ calls }, { call }) =>
  calls.filter(
    ({ keyId, began, ended }) => keyId === call.keyId && began <= call.ended && ended >= call.began - 1000,
  ).length > mostPerSecond

const tooManyLists: Reason = ({ calls }, { call }) =>
  calls.filter((other) => {
    const end = other.status === null ? other.began + listMs : other.ended
    const isBeside = other.began <= call.ended && end >= call.began
    return isBeside && other.business === call.business && isList(other)
  }).length > mostLists

const isList = ({ what }: Call): boolean => what === 'list' || what.endsWith('.list')

/** What is right about each code, beside what the asker expects. A code that is not here is never due to a good request: of a key, a body, a limit. */
export const reasons: Record<string, Reason> = {
  INTENT_NOT_FOUND: noIntent,
  DELIVERY_NOT_FOUND: noDelivery,
  ORDER_NOT_FOUND: noOrder,
  PRODUCT_NOT_FOUND: noProduct,
  ENDPOINT_NOT_FOUND: noEndpoint,
  SHOP_NOT_FOUND: noShop,
  MAX_ENDPOINTS_REACHED: tooManyEndpoints,
  INSUFFICIENT_STOCK: notInStock,
  INTENT_NOT_PENDING: notPending,
  INTENT_CANCEL_INVALID_STATUS: notPending,
  INTENT_CANCEL_CONFLICT: changed,
  PAYMENT_FAILED: failedAsAsked,
  INTENT_REFUND_INVALID_STATUS: notRefundable,
  AMOUNT_OUT_OF_RANGE: tooMuch,
  REFUND_AMOUNT_MISMATCH: notWhatIsLeft,
  REFUND_FAILED: notGivenBack,
  IDEMPOTENCY_REQUEST_IN_PROGRESS: hold,
  REQUEST_TIMEOUT: tooSlow,
  RATE_LIMITED: tooOften,
}
