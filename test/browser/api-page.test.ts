import type { Browser, Page, Request } from 'playwright-core'
import { type Merchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import type { UserWindow } from './browser.ts'
import { barriers, openWindow, picture, sizes, startBrowser, widerThanScreen } from './browser.ts'

const create = 'POST /dev/intents'
/** Violations in Swagger UI's own markup: unnamed fields, nested buttons, long responses without keyboard access. */
const knownViolations = /^(label|select-name|nested-interactive|scrollable-region-focusable): /

async function authorize(page: Page, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  const dialog = page.getByRole('dialog').or(page.locator('.modal-ux'))
  await dialog.getByRole('textbox').fill(key)
  await dialog.getByRole('button', { name: /^apply|^authorize/i }).click()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
}

async function execute(page: Page, operation: string, words = ''): Promise<string> {
  const [method = '', path = ''] = operation.split(' ')
  const block = page
    .locator(`.opblock-${method.toLowerCase()}`)
    .filter({ has: page.locator(`[data-path="${path}"]`) })
  if ((await block.locator('.execute').count()) === 0) await block.locator('.opblock-summary-control').click()
  await block.locator('.execute').click()
  const response = block.locator('.live-responses-table .response').filter({ hasText: words }).first()
  await response.waitFor()
  return (await response.textContent()) ?? ''
}

describe('The /docs/api page', function () {
  this.timeout(90_000)
  const service = withService()
  let browser: Browser
  let merchant: Merchant
  const windows: UserWindow[] = []
  before(async () => {
    browser = await startBrowser()
    merchant = await service.merchant()
  })
  after(() => browser.close())
  afterEach(() => expect(windows.flatMap(({ faults }) => faults)).to.deep.equal([]))
  async function open(): Promise<Page> {
    const opened = await openWindow(browser, service.origin, { size: 'desktop' })
    windows.push(opened)
    const { page, faults } = opened
    page.on('console', (message) => {
      // The browser itself logs each 4xx as an error.
      if (message.type() === 'error' && !message.text().includes('status of 4')) faults.push(message.text())
    })
    // Pages over plain http lack this function.
    await page.addInitScript('delete Crypto.prototype.randomUUID')
    await page.goto('/docs/api')
    await page.locator('.opblock').first().waitFor()
    return page
  }
  const created = () => service.deps.Intent.countDocuments({ businessId: merchant.businessId })
  const ownBarriers = async (page: Page) =>
    (await barriers(page)).filter((each) => !knownViolations.test(each))

  it('creates intents with a test key, but refuses a live key', async () => {
    const page = await open()
    const requests: Request[] = []
    page.on('request', (each) => void (/\/api\/v1\/dev\//.test(each.url()) && requests.push(each)))
    await picture(page, 'docs-desktop')
    await authorize(page, merchant.key)
    expect(await execute(page, create))
      .to.include('201')
      .and.include('PI-')
    await picture(page, 'docs-created-desktop')
    await execute(page, create)
    await waitFor('the second intent', async () => (await created()) === 2)
    const keys = requests.map((request) => request.headers()['x-idempotency-key'])
    expect(keys).to.have.length(2)
    for (const key of keys) expect(key).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/)
    expect(new Set(keys).size).to.equal(2)
    expect(await ownBarriers(page)).to.deep.equal([])
    // The URL names the operation. Opening it without that part reloads the page with all operations closed.
    await page.setViewportSize(sizes.phone)
    await page.goto('/docs/api')
    await page.locator('.opblock').first().waitFor()
    await picture(page, 'docs-phone')
    expect(await execute(page, create))
      .to.include('401')
      .and.include('MISSING_CREDENTIALS')
    expect(await widerThanScreen(page), 'wider than the screen').to.equal(false)
    expect(await ownBarriers(page)).to.deep.equal([])
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).to.equal(0)
    const { key } = await service.key(merchant.businessId, { mode: 'live' })
    await authorize(page, key)
    requests.length = 0
    expect(await execute(page, create, 'Nothing was sent')).to.include('this is a live key')
    await picture(page, 'docs-live-key-phone')
    expect(requests).to.deep.equal([])
  })

  it('accepts only GET and HEAD', async () => {
    const { status, headers, body } = await service.http.post('/docs/api')
    expect([status, headers.allow, body.error.code]).to.deep.equal([404, 'GET, HEAD', 'ENDPOINT_NOT_FOUND'])
  })
})
