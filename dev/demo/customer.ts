import { STATUS_CODES } from 'node:http'
import { type HTMLElement, parse } from 'node-html-parser'
import { formFor } from '../form.ts'
import { show, showPage } from './screen.ts'
import { must } from './wait-for.ts'

const LIMIT_MS = 30_000

export interface Page {
  url: string
  status: number
  html: HTMLElement
}

export const openPage = (url: string): Promise<Page> => browse(url)

/** Like a browser without JavaScript. Shows each request, and the last page. */
export function sendForm(page: Page, typed: Record<string, string>): Promise<Page> {
  const [field = ''] = Object.keys(typed)
  const { method, url, fields } = formFor(field, page.html, page.url)
  const input = new URLSearchParams({ ...fields, ...typed })
  const shown = Object.entries(typed).map(([name, value]) => `${name}=${value}`)
  if (method === 'POST') return browse(url, { method, body: input }, shown)
  return browse(`${url.split('?')[0]}?${input}`)
}

async function browse(url: string, sent: RequestInit = {}, typed: string[] = []): Promise<Page> {
  show([`${sent.method ?? 'GET'} ${pathOf(url)}`, ...typed])
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
  const next = new URL(to, url).href
  show([`${words}: ${pathOf(next)}`])
  return browse(next)
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
