import type { Context } from './context.ts'
import { ofIntents } from './operations/intents.ts'
import { ofCustomers } from './operations/pay.ts'
import { ofStore } from './operations/store.ts'
import { ofStrangers } from './operations/strangers.ts'
import { ofSupport } from './operations/support.ts'
import { ofWebhooks } from './operations/webhooks.ts'

type Operation = (context: Context) => Promise<unknown>

/** All operations with their relative frequency. Some make more than one call. */
export const operations = {
  ...ofIntents,
  ...ofCustomers,
  ...ofWebhooks,
  ...ofStore,
  ...ofStrangers,
  ...ofSupport,
} as const satisfies { [name: string]: readonly [weight: number, operate: Operation] }

export type OperationName = keyof typeof operations
/** Live keys are refused these operations, so the traffic rarely sends them with a live key. */
export const ofTheSandbox: readonly OperationName[] = ['simulatePayment', 'placeOrder']

/** The weights, ten times as high for the operations in `often`. */
export const weightsWith = (often: readonly string[]) =>
  Object.fromEntries(
    Object.entries(operations).map(([name, [weight]]) => [name, often.includes(name) ? 10 * weight : weight]),
  ) as { [name in OperationName]: number }
