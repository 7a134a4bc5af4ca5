import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axeCore from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../dev/setup/tools.mjs'

/** Switches off what Chromium does in the background. */
const switches = [
  '--no-sandbox',
  '--disable-gpu',
  '--renderer-process-limit=1',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } }

export async function startBrowser(...more: string[]): Promise<Browser> {
  const { path } = await findChromium()
  return chromium.launch({ executablePath: path, args: [...switches, ...more] })
}

/**
 * A browser window of one user. `faults`: violations of the page policy, errors of scripts, requests to other hosts.
 */
export interface UserWindow {
  page: Page
  faults: string[]
}

/** The settings of a browser window. */
export interface Settings {
  size: keyof typeof sizes
  /** Whether the browser runs scripts. Default: true. */
  scripts?: boolean
  /** The preferred language. Default: American English. */
  language?: string
  /** Origins besides the service's own that pages may load. */
  others?: readonly string[]
}

export async function openWindow(browser: Browser, origin: string, settings: Settings): Promise<UserWindow> {
  const { size, scripts = true, language = 'en-US', others = [] } = settings
  const context = await browser.newContext({
    baseURL: origin,
    viewport: sizes[size],
    reducedMotion: 'reduce',
    javaScriptEnabled: scripts,
    locale: language,
  })
  const page = await context.newPage()
  const faults: string[] = []
  const expected = [origin, ...others]
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

/** Opens a page and signs in with the form that appears. */
export async function signIn(page: Page, account: Account, to: string): Promise<void> {
  await page.goto(to)
  await fillIn(page, account)
  await page.waitForURL(`**${to}`)
}

/** Fills in and submits the sign-in form. */
export async function fillIn(page: Page, { name, password }: Account): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Saves a picture of the whole page in the folder SCREENSHOTS, if it is set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Returns the accessibility violations that axe finds: the impact, and the rule with the element. */
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

/** Returns the serious and critical accessibility violations. */
export const barriers = async (page: Page): Promise<string[]> =>
  (await findings(page)).filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ what }) => what)

export const widerThanScreen = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')
