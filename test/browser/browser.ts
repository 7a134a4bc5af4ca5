import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axeCore from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../dev/setup/tools.mjs'

/** Turns off Chromium's background activity. */
const switches = `
  --no-sandbox --disable-gpu --renderer-process-limit=1 --disable-quic --no-first-run
  --disable-background-networking --disable-component-update --disable-sync
`
  .trim()
  .split(/\s+/)

export const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } }

export async function startBrowser(...more: string[]): Promise<Browser> {
  const { path } = await findChromium()
  return chromium.launch({ executablePath: path, args: [...switches, ...more] })
}

export type UserWindow = { page: Page; faults: string[] }

export interface Settings {
  size: keyof typeof sizes
  scripts?: boolean
  language?: string
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

export type Account = { name: string; password: string }

export async function signIn(page: Page, account: Account, to: string): Promise<void> {
  await page.goto(to)
  await fillIn(page, account)
  await page.waitForURL(`**${to}`)
}

export async function fillIn(page: Page, { name, password }: Account): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Saves a screenshot of the whole page in the folder SCREENSHOTS, if that is set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Accessibility violations found by axe: the impact, and the rule with the element. */
export async function findings(page: Page): Promise<{ impact: string | null; what: string }[]> {
  await page.evaluate(axeCore.source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    type Violation = { id: string; impact: string | null; nodes: { html: string }[] }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html }) => ({ impact, what: `${id}: ${html.slice(0, 200)}` })),
    )
  })
}

export const barriers = async (page: Page): Promise<string[]> =>
  (await findings(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ what }) => what)

export const widerThanScreen = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')
