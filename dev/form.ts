import { type HTMLElement, parse } from 'node-html-parser'

/** A form of a page, as a browser would send it untouched. */
export interface Form {
  method: 'GET' | 'POST'
  /** Absolute. */
  url: string
  fields: Record<string, string>
}

/**
 * The form of a page that asks for `field`.
 * @throws {Error} when the page does not ask for it
 */
export function formFor(field: string, page: string | HTMLElement, address: string): Form {
  const html = typeof page === 'string' ? parse(page) : page
  const form = html.querySelector(`[name="${field}"]`)?.closest('form')
  if (!form) throw new Error(`The page ${address} does not ask for the ${field}`)
  const inputs = form.querySelectorAll('input[name]')
  return {
    method: form.getAttribute('method')?.toUpperCase() === 'POST' ? 'POST' : 'GET',
    url: new URL(form.getAttribute('action') ?? address, address).href,
    fields: Object.fromEntries(
      inputs.map((input) => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? '']),
    ),
  }
}
