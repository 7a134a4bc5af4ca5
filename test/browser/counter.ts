import type { Page } from 'playwright-core'
import type { Locale } from '../../src/checkout/locale.ts'
import { type Created, createIntent } from '../support/actions.ts'
import { type Merchant, openService } from '../support/service.ts'
import { withOpened } from '../support/with.ts'
import { openWindow, type Settings, startBrowser, type UserWindow } from './browser.ts'
import { openShop } from './shop.ts'

export const withCounter = () => withOpened(openCounter, (counter) => counter.close())

async function openCounter() {
  const [browser, service, shop] = await Promise.all([startBrowser(), openService(), openShop()])
  service.startWorkers()
  const windows: UserWindow[] = []
  return {
    service,
    shop,
    async openWindow(settings: Omit<Settings, 'others'>): Promise<Page> {
      const opened = await openWindow(browser, service.origin, { ...settings, others: [shop.origin] })
      windows.push(opened)
      return opened.page
    },
    order: (merchant: Merchant, fields: object): Promise<Created> =>
      createIntent(service, merchant, {
        amount: 50_000,
        label: 'Panier n° 7',
        success_url: `${shop.origin}/thanks?order=7#top`,
        cancel_url: `${shop.origin}/basket`,
        ...fields,
      }),
    debits: ({ businessId }: Merchant) =>
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

export const payer = { phone: '22000001', pin: '1234' }

export async function pay(page: Page, { words }: Locale, { phone, pin }: typeof payer): Promise<void> {
  await fillIn(page, words.pay.phone, phone)
  await fillIn(page, words.pay.pin, pin)
  await send(page)
}

export const fillIn = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text)
export const send = (page: Page): Promise<void> => page.locator('form button').click()
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()
export const textOf = async (page: Page): Promise<string> => (await page.locator('main').textContent()) ?? ''
