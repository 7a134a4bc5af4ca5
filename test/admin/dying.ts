import { deliver } from '../../src/webhooks/deliver.ts'
import { type Delivery, maxAttempts } from '../../src/webhooks/delivery.ts'
import { freshDelivery, stored } from '../support/acts.ts'
import type { House, Merchant } from '../support/house.ts'

/** Waits that the tests' clock walks over, long before a session is over. */
export const shortWaits = { WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1' }

/** Attempts a delivery until there is nothing more to attempt. */
export async function exhaust(house: House, delivery: Pick<Delivery, '_id'>): Promise<Delivery> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    await deliver(house.deps, delivery._id)
    house.clock.advance(1000)
  }
  return stored(house, delivery)
}

/** A delivery of a new payment that was attempted 8 times and is DEAD; the merchant's one receiver must fail. */
export async function deadDelivery(house: House, merchant: Merchant): Promise<Delivery> {
  const dead = await exhaust(house, await freshDelivery(house, merchant))
  if (dead.status !== 'DEAD') throw new Error(`it is ${dead.status}`)
  return dead
}

/** What somebody reads on a page: its text without the marks. */
export const readable = (html: string): string =>
  html
    .replace(/^.*<main/s, '<main')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:;?])/g, '$1')
