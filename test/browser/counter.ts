import type { Page } from 'playwright-core'
import type { Locale } from '../../src/checkout/locale.ts'
import { type Created, createIntent } from '../support/actions.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'
import { withOpened } from '../support/with.ts'
import { openWindow, type Settings, startBrowser, type UserWindow } from './browser.ts'
import { openShop, type Shop } from './shop.ts'

/** A service, the site of a merchant, and the browser windows of customers. */
export interface Counter {
  service: Service
  shop: Shop
  /** Opens the window of a customer. */
  openWindow(settings: Omit<Settings, 'others'>): Promise<Page>
  /** Creates an intent with links back to the shop. */
  order(merchant: Merchant, fields: object): Promise<Created>
  /** Returns the number of payments from demo wallets to this merchant. */
  debits(merchant: Merchant): Promise<number>
  /** Returns the faults of all windows (browser.ts). */
  faults(): string[]
  close(): Promise<void>
}

/** Opens a counter for the tests of a `describe`. */
export const withCounter = (): Counter => withOpened(openCounter, (counter) => counter.close())

async function openCounter(): Promise<Counter> {
  const [browser, service, shop] = await Promise.all([startBrowser(), openService(), openShop()])
  service.startWorkers()
  const windows: UserWindow[] = []
  return {
    service,
    shop,
    async openWindow(settings) {
      const opened = await openWindow(browser, service.origin, { ...settings, others: [shop.origin] })
      windows.push(opened)
      return opened.page
    },
    order: (merchant, fields) =>
      createIntent(service, merchant, {
        amount: 50_000,
        label: 'Panier n° 7',
        success_url: `${shop.origin}/thanks?order=7#top`,
        cancel_url: `${shop.origin}/basket`,
        ...fields,
      }),
    debits: ({ businessId }) =>
      service.deps.WalletMovement.countDocuments({
        accountId: { $in: ['22000001', '22000003', '22000005'].map((phone) => `${businessId}-${phone}`) },
        kind: 'payment',
        'result.outcome': 'done',
      }),
    faults: () => windows.flatMap(({ faults }) => faults),
    async close() {
      await browser.close()
      await Promise.all([service.close(), shop.close()])
    },
  }
}

/** The demo wallet that pays. */
export const payer = { phone: '22000001', pin: '1234' }

/** Fills in the phone and the PIN, and submits the form. */
export async function pay(page: Page, { words }: Locale, { phone, pin }: typeof payer): Promise<void> {
  await fillIn(page, words.pay.phone, phone)
  await fillIn(page, words.pay.pin, pin)
  await send(page)
}

export const fillIn = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text)

/** Submits the form of a page. */
export const send = (page: Page): Promise<void> => page.locator('form button').click()

/** Waits for a page with this heading. */
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** Returns the text of a page. */
export const textOf = async (page: Page): Promise<string> => (await page.locator('main').textContent()) ?? ''
