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

interface Request {
  method: 'GET' | 'POST'
  url: string
  /** The fields of a form. */
  body: URLSearchParams | null
}

/** Opens a URL and follows its redirects. Shows each request, and the last page. */
export const openPage = (url: string): Promise<Page> => browse({ method: 'GET', url, body: null }, {})

/** Fills in a form and sends it, like a browser without JavaScript. Shows each request, and the last page. */
export function sendForm(page: Page, typed: Record<string, string>): Promise<Page> {
  const [field = ''] = Object.keys(typed)
  const { method, url, fields } = formFor(field, page.html, page.url)
  const body = new URLSearchParams({ ...fields, ...typed })
  if (method === 'POST') return browse({ method, url, body }, typed)
  const target = new URL(url)
  target.search = body.toString()
  return browse({ method, url: target.href, body: null }, {})
}

async function browse(request: Request, typed: Record<string, string>): Promise<Page> {
  let { method, url, body } = request
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const lines = Object.entries(body === null ? {} : typed).map(([name, value]) => `${name}=${value}`)
    show([`${method} ${pathOf(url)}`, ...lines])
    const response = await fetch(url, {
      method,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    })
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
    method = 'GET'
    body = null
  }
  throw new Error(`${request.url} redirects too often`)
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
