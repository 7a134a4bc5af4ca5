import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { code, tableOf } from '../markdown.ts'

/** What `error.details` contains, where it is not a list of the fields at fault. */
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

/** The rest of a message says what to do. The response has it. */
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
