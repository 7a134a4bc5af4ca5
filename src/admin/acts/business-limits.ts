import type { BusinessLimits } from '../../businesses/business.ts'

/** A limit that can be set for one business, as it is shown on the staff pages and on the command line. */
export interface LimitInfo {
  label: string
  description: string
  min: number
  max: number
}

export const limitInfos: Record<keyof BusinessLimits, LimitInfo> = {
  perSecond: {
    label: 'Requests per second',
    description: 'requests per second with each API key',
    min: 1,
    max: 1_000_000,
  },
  liveCodes: {
    label: 'Live payment codes',
    description: 'live payment codes in use at once',
    min: 1,
    max: 1_000_000,
  },
  sandboxIntentsPerDay: {
    label: 'Created in the sandbox per day',
    description: 'intents, orders and products created with test keys per UTC day; 0 means no limit',
    min: 0,
    max: 1_000_000_000,
  },
}
