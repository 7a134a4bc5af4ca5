import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axeCore from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../dev/setup/chromium.mjs'

/** What a browser would do by itself that no test wants. */
const quietly = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } }

export async function startBrowser(): Promise<Browser> {
  const { path } = await findChromium()
  return chromium.launch({ executablePath: path, args: quietly })
}

/** Somebody at a screen. `faults`: what the browser refused by our policy, what a script threw, what went to another host. */
export interface Person {
  page: Page
  faults: string[]
}

/** How somebody sits there. */
export interface Way {
  size: keyof typeof sizes
  /** Whether their browser runs scripts. */
  scripts: boolean
  /** What their browser prefers. */
  language: string
  /** Origins that pages may lead to beside our own. */
  others: readonly string[]
}

export async function sitDown(browser: Browser, origin: string, way: Way): Promise<Person> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: sizes[way.size],
    reducedMotion: 'reduce',
    javaScriptEnabled: way.scripts,
    locale: way.language,
  })
  const page = await context.newPage()
  const faults: string[] = []
  const expected = [origin, ...way.others]
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/content security policy|refused to/i.test(message.text())) faults.push(message.text())
  })
  page.on('request', (request) => {
    const isOurs = /^(data|blob):/.test(request.url()) || expected.includes(new URL(request.url()).origin)
    if (!isOurs) faults.push(request.url())
  })
  return { page, faults }
}

export interface Account {
  name: string
  password: string
}

/** Signs in by the form, on the way to a page. */
export async function signIn(page: Page, account: Account, to: string): Promise<void> {
  await page.goto(to)
  await fillIn(page, account)
  await page.waitForURL(`**${to}`)
}

/** Fills in the form of the sign-in, on the page that shows it. */
export async function fillIn(page: Page, { name, password }: Account): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Keeps a picture of the whole page in the folder SCREENSHOTS, if there is one. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** What axe finds that keeps somebody from using the page, or makes it harder: how much, rule and place. */
export async function findings(page: Page): Promise<{ impact: string | null; what: string }[]> {
  await page.evaluate(axeCore.source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    interface Violation {
      id: string
      impact: string | null
      nodes: { html: string }[]
    }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html }) => ({ impact, what: `${id}: ${html.slice(0, 200)}` })),
    )
  })
}

/** Of what axe finds that which keeps somebody from using the page. */
export const barriers = async (page: Page): Promise<string[]> =>
  (await findings(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ what }) => what)

export const widerThanScreen = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')
