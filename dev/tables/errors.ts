import { type ErrorCode, errorCatalogue } from '../../src/platform/errors.ts'
import { code, tableOf } from '../markdown.ts'

/** What `error.details` contains, if not the list of invalid fields. */
const details: Partial<Record<ErrorCode, string>> = {
  SCOPE_REQUIRED: '`scope`',
  EVENTS_NOT_PERMITTED: '`events`',
  PAYMENT_FAILED: '`status`, `retryable`, `code`',
  AMOUNT_OUT_OF_RANGE: '`refundable`, of a refund',
  REFUND_FAILED: '`retryable`, if it is false',
  REFUND_AMOUNT_MISMATCH: '`refundable`',
  VARIANT_LABEL_AMBIGUOUS: '`variantIds`',
  INSUFFICIENT_STOCK: '`productId`, `variantId`, `requested`, `available`; of an order, `items` with these',
  RATE_LIMITED: '`scope`, `limit`, `windowSeconds`',
}

/** The message's first sentence. The rest names the remedy, which the response contains. */
const meaningOf = (name: string, message: string): string =>
  name === 'ENDPOINT_NOT_FOUND'
    ? 'There is no operation with this method and path, or no webhook endpoint with this id.'
    : message.replace(/\. .*$/, '.')

/** Named like a missing item. ENDPOINT_NOT_FOUND also means a wrong path. */
const isMissing = (name: string): boolean => name.endsWith('_NOT_FOUND') && name !== 'ENDPOINT_NOT_FOUND'

export function errorTable(): string {
  const codes = Object.entries(errorCatalogue)
  const missing = codes.filter(([name]) => isMissing(name)).map(([name]) => code(name))
  const rows = codes
    .filter(([name]) => !isMissing(name))
    .map(([name, [status, message]]) => {
      const detail = details[name as ErrorCode]
      const meaning = meaningOf(name, message) + (detail ? ` Details: ${detail}.` : '')
      return [code(name), String(status), meaning]
    })
  return tableOf(
    ['Code', 'Status', 'Meaning'],
    [...rows, [missing.join(', '), '404', 'Your business has no such item.']],
  )
}
