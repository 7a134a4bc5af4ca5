import { events } from '../../../schemas/events.ts'
import type { Config } from '../../config.ts'

/** What of the configuration the description tells. */
export type Told = Pick<Config, 'publicUrl' | 'maxAmount' | 'webhookHeaderBrand' | 'webhookTimeoutMs'>

const url = { format: 'uri', maxLength: 2048 }

/**
 * What stands in the description for a format of ours (src/validate.ts): words of JSON Schema that say the same, or as much of it as they can. A
 * number of a query, which comes as text, is a number here.
 */
export const formatsFor = ({ maxAmount }: Told): Record<string, object> => ({
  'date-time': { format: 'date-time' },
  uri: { format: 'uri' },
  amount: { minimum: 1, maximum: maxAmount },
  price: { minimum: 0, maximum: maxAmount },
  'storable-text': {},
  'written-text': { pattern: String.raw`\S` },
  'written-or-empty-text': { pattern: String.raw`^$|\S` },
  'https-url': { ...url, pattern: '^https://' },
  'https-or-localhost-url': { ...url, pattern: '^(https://|http://localhost)' },
  phone: {},
  'webhook-url': { ...url, pattern: '^https://' },
  'webhook-event': { enum: Object.keys(events) },
  'date-or-time': {},
  'page-number': { type: 'integer', minimum: 1, default: 1 },
  'page-size': { type: 'integer', minimum: 1, default: 20 },
})
