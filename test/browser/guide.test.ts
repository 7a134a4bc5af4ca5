import { readdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { withService } from '../support/service.ts'
import { barriers, openWindow, picture, type Settings, startBrowser, widerThanScreen } from './browser.ts'

const paths = readdirSync('docs/merchants', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `/docs/${name.slice(0, -'.md'.length)}`.replace('/README', ''))

describe("The merchants' guide in a browser", function () {
  this.timeout(120_000)
  const service = withService()
  let browser: Browser
  before(async () => void (browser = await startBrowser()))
  after(() => browser.close())
  const opened: { faults: string[] }[] = []
  afterEach(() => expect(opened.flatMap(({ faults }) => faults)).to.deep.equal([]))
  async function open(settings: Settings, path = '/docs/quickstart'): Promise<Page> {
    const window = await openWindow(browser, service.origin, settings)
    opened.push(window)
    await window.page.goto(path)
    return window.page
  }
  const shown = (page: Page) => page.locator('.variants').first().locator('figure:visible')

  for (const size of ['phone', 'desktop'] as const)
    it(`fits on a ${size}, and anyone can use it`, async () => {
      const page = await open({ size })
      for (const path of paths) {
        await page.goto(path)
        expect(await widerThanScreen(page), path).to.equal(false)
        expect(await barriers(page), path).to.deep.equal([])
        await picture(page, `guide${path.replaceAll('/', '-')}-${size}`)
      }
    })

  it('remembers the language that the reader chose, on every page', async () => {
    const page = await open({ size: 'phone' })
    expect(await shown(page).locator('figcaption span').allTextContents()).to.deep.equal(['Node.js'])
    await page.getByRole('button', { name: 'Python' }).first().click()
    await page.goto('/docs/events')
    expect(await shown(page).locator('figcaption span').allTextContents()).to.deep.equal(['Python'])
    expect(await page.getByRole('button', { name: 'Python', pressed: true }).count()).to.be.at.least(1)
  })

  it('copies a block of code', async () => {
    const page = await open({ size: 'desktop' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const block = page.locator('figure').first()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).to.equal(await block.locator('pre').textContent())
  })

  it('shows every language one below the other without JavaScript', async () => {
    const page = await open({ size: 'phone', scripts: false })
    expect(await shown(page).count()).to.equal(3)
    expect(await page.getByRole('button').count()).to.equal(0)
    expect(await widerThanScreen(page)).to.equal(false)
  })

  it('opens the operation that a link names on the API page', async () => {
    const page = await open({ size: 'desktop' })
    await page.getByRole('link', { name: 'createIntent' }).first().click()
    await page.waitForURL('**/docs/api#/**')
    await page.locator('#operations-Payment_intents-createIntent.is-open').waitFor()
  })
})
