import type { Browser, Page } from 'playwright-core'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { openAdmin } from '../admin/admin.ts'
import { createIntent, subscribe } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { type Account, type Person, signIn, sitDown, type sizes, startBrowser } from './browser.ts'

/** A whole service with its workers, its receiver, and a browser in front of it. */
export interface Stage {
  house: House
  receiver: Receiver
  merchant: Merchant
  /** A delivery whose 8 attempts failed; the receiver goes on refusing. */
  deadDelivery(): Promise<Delivery>
  /** From now on the receiver accepts. */
  heal(): void
  /** Somebody with an account of this role, signed in and on this page. */
  enter(role: 'viewer' | 'support', to: string, size: keyof typeof sizes): Promise<Page>
  accounts: Record<'viewer' | 'support', Account>
  /** Somebody who is not signed in. */
  visit(size: keyof typeof sizes): Promise<Page>
  /** What went wrong in any of the browsers (browser.ts). */
  faults(): string[]
  close(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const [receiver, browser, house] = await Promise.all([
    startReceiver(),
    startBrowser(),
    openHouse({ WEBHOOK_RETRY_SECONDS: '0.01,0.01,0.01,0.01,0.01,0.01,0.01' }),
  ])
  const merchant = await house.merchant()
  await subscribe(house, merchant, receiver.url, ['payment.created'])
  house.startWorkers()
  const accounts = await hireBoth(house)
  const people: Person[] = []
  const visit = async (size: keyof typeof sizes) => {
    const person = await sitDown(browser, house.origin, {
      size,
      scripts: true,
      language: 'en-US',
      others: [],
    })
    people.push(person)
    return person.page
  }
  return {
    house,
    receiver,
    merchant,
    accounts,
    visit,
    async enter(role, to, size) {
      const page = await visit(size)
      await signIn(page, accounts[role], to)
      return page
    },
    deadDelivery() {
      receiver.respondWith((res) => void res.writeHead(500).end('not today'))
      return makeDead(house, merchant)
    },
    heal: () => receiver.respondWith((res) => void res.end('thanks')),
    faults: () => people.flatMap(({ faults }) => faults),
    close: () => closeAll(browser, house, receiver),
  }
}

/** As an operator makes them. */
async function hireBoth(house: House): Promise<Stage['accounts']> {
  const { done } = openAdmin(house)
  const hire = async (role: string): Promise<Account> => {
    const { name = '', password = '' } = await done('staff', 'create', '--name', `a-${role}`, '--role', role)
    return { name, password }
  }
  const [viewer, support] = await Promise.all([hire('viewer'), hire('support')])
  return { viewer, support }
}

async function makeDead(house: House, merchant: Merchant): Promise<Delivery> {
  const { referenceNumber } = await createIntent(house, merchant)
  return until('a dead delivery', () =>
    house.deps.Delivery.findOne({ referenceNumber, status: 'DEAD' }).lean<Delivery>(),
  )
}

async function closeAll(browser: Browser, house: House, receiver: Receiver): Promise<void> {
  await browser.close()
  await house.close()
  await receiver.close()
}
