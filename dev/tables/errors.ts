import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { code, tableOf } from '../markdown.ts'

/** The content of `error.details`, if it is not the list of invalid fields. */
const details: Partial<Record<ErrorCode, string>> = {
  SCOPE_REQUIRED: '`scope`',
  EVENTS_NOT_PERMITTED: '`events`',
  PAYMENT_FAILED: '`status`, `retryable`, `code`',
  AMOUNT_OUT_OF_RANGE: '`refundable`, of a refund',
  REFUND_AMOUNT_MISMATCH: '`refundable`',
  VARIANT_LABEL_AMBIGUOUS: '`variantIds`',
  INSUFFICIENT_STOCK: '`productId`, `variantId`, `requested`, `available`; of an order, `items` with these',
  RATE_LIMITED: '`scope`, `limit`, `windowSeconds`',
}

const detailsOf = (name: ErrorCode): string => (details[name] ? ` Details: ${details[name]}.` : '')

/** Returns the first sentence of a message. The rest names the remedy, which the response contains. */
const firstSentence = (message: string): string => message.replace(/\. .*$/, '.')

/** Every error code, with its status, its usual message and its details. */
export const table = (): string =>
  tableOf(
    ['Code', 'Status', 'Meaning'],
    Object.entries(catalogue).map(([name, [status, message]]) => [
      code(name),
      String(status),
      firstSentence(message) + detailsOf(name as ErrorCode),
    ]),
  )
