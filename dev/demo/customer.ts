import { STATUS_CODES } from 'node:http'
import { type HTMLElement, parse } from 'node-html-parser'
import { formFor } from '../form.ts'
import { show, showPage } from './screen.ts'
import { must } from './wait-for.ts'

const LIMIT_MS = 30_000
/** Browsers follow more redirects, but these pages redirect only once. */
const MAX_REDIRECTS = 5

/** A page in the browser of a customer. */
export interface Page {
  url: string
  status: number
  html: HTMLElement
}

/** Opens a URL and follows its redirects. Shows each request, and the last page. */
export const openPage = (url: string): Promise<Page> => browse(url)

/** Fills in a form and sends it, like a browser without JavaScript. Shows each request, and the last page. */
export function sendForm(page: Page, typed: Record<string, string>): Promise<Page> {
  const [field = ''] = Object.keys(typed)
  const { method, url, fields } = formFor(field, page.html, page.url)
  const input = new URLSearchParams({ ...fields, ...typed })
  const shown = Object.entries(typed).map(([name, value]) => `${name}=${value}`)
  return method === 'POST' ? browse(url, { method, body: input }, shown) : browse(`${url.split('?')[0]}?${input}`)
}

async function browse(address: string, form: { method?: string; body?: URLSearchParams } = {}, typed: string[] = []) {
  let [url, sent, lines] = [address, form, typed]
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    show([`${sent.method ?? 'GET'} ${pathOf(url)}`, ...lines])
    const response = await fetch(url, { ...sent, redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS) })
    const to = response.headers.get('location')
    const words = `${response.status} ${STATUS_CODES[response.status] ?? ''}`
    if (to === null) {
      show([words])
      const html = parse(await response.text())
      showPage(html)
      return { url, status: response.status, html }
    }
    must(response.status === 303, 'the form redirects with 303, so that a refresh does not repeat it')
    await response.body?.cancel()
    url = new URL(to, url).href
    show([`${words}: ${pathOf(url)}`])
    sent = {}
    lines = []
  }
  throw new Error(`${address} redirects too often`)
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
