import type { Page } from 'playwright-core'
import type { Locale } from '../../src/checkout/locale.ts'
import { type Created, createIntent } from '../support/actions.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'
import { type Person, sitDown, startBrowser, type Way } from './browser.ts'
import { openShop, type Shop } from './shop.ts'

/** A service, a merchant's site, and customers in front of browsers. */
export interface Counter {
  service: Service
  shop: Shop
  /** Somebody who wants to pay. */
  sitDown(way: Omit<Way, 'others'>): Promise<Page>
  /** A payment of this merchant that knows the way back to the shop. */
  order(merchant: Merchant, asked: object): Promise<Created>
  /** How often money was taken from a demo wallet of this merchant's customers. */
  debits(merchant: Merchant): Promise<number>
  /** What went wrong in any of the browsers (browser.ts). */
  faults(): string[]
  close(): Promise<void>
}

export async function openCounter(): Promise<Counter> {
  const [browser, service, shop] = await Promise.all([startBrowser(), openService(), openShop()])
  service.startWorkers()
  const people: Person[] = []
  return {
    service,
    shop,
    async sitDown(way) {
      const person = await sitDown(browser, service.origin, { ...way, others: [shop.origin] })
      people.push(person)
      return person.page
    },
    order: (merchant, asked) =>
      createIntent(service, merchant, {
        amount: 50_000,
        label: 'Panier n° 7',
        success_url: `${shop.origin}/thanks?order=7#top`,
        cancel_url: `${shop.origin}/basket`,
        ...asked,
      }),
    debits: ({ businessId }) =>
      service.deps.WalletMovement.countDocuments({
        accountId: { $in: ['22000001', '22000003', '22000005'].map((phone) => `${businessId}-${phone}`) },
        kind: 'payment',
        'result.outcome': 'done',
      }),
    faults: () => people.flatMap(({ faults }) => faults),
    async close() {
      await browser.close()
      await Promise.all([service.close(), shop.close()])
    },
  }
}

/** The demo wallet that pays. */
export const payer = { phone: '22000001', pin: '1234' }

/** Fills in phone and PIN, and sends them. */
export async function pay(page: Page, { words }: Locale, { phone, pin }: typeof payer): Promise<void> {
  await fillIn(page, words.pay.phone, phone)
  await fillIn(page, words.pay.pin, pin)
  await send(page)
}

export const fillIn = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text)

/** Sends the form of a page. */
export const send = (page: Page): Promise<void> => page.locator('form button').click()

/** The heading that a page should come to. */
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** What a page says. */
export const said = async (page: Page): Promise<string> => (await page.locator('main').textContent()) ?? ''
