import { routes } from '../../src/http/routes/routes.ts'
import type { EndpointServer } from '../support/endpoint-server.ts'
import type { Service } from '../support/service.ts'
import { createFixture } from './fixture.ts'
import { type Block, blocksOf } from './pages.ts'
import { runProgram } from './program.ts'

/** A request of a block, and its response. */
export interface Exchange {
  /** As in the table of operations: `POST /dev/intents`. */
  operation: string
  status: number
  body: { success: boolean; data?: unknown }
}

/** Prints the body of each response, and below it a line with its status. */
const reporting = `curl() { command curl -sS --max-time 15 -w '\\n%{http_code} %{method} %{url_effective}\\n' "$@"; }\n`

/** A line such as KEY=sk_test_…: the test sets the variable. */
const blank = /^(export )?[A-Z]+=\S*….*$/gm

/** The product id that the pages show. The merchant of a test has another product. */
const shownProduct = '6920c1f4e9b0a7d25c41f803'

/**
 * Replaces the month that the pages show with the current month, and its last days with today. The API refuses a future
 * month or day.
 */
export function inThisMonth(text: string): string {
  const today = new Date().toISOString().slice(0, 10)
  return text.replaceAll(/2026-11-[23]\d/g, today).replaceAll('2026-11', today.slice(0, 7))
}

/** Runs a block of curl for a new merchant. Resolves to its requests in their order. */
export async function runCurl(service: Service, endpointServer: EndpointServer, block: Block): Promise<Exchange[]> {
  const { environment } = await createFixture(service, endpointServer, block.text)
  const script = inThisMonth(block.text).replace(blank, '').replaceAll(shownProduct, String(environment.PRODUCT))
  const csv = blocksOf('docs/merchants/store.md').find(({ fence }) => fence === 'csv')?.text ?? ''
  const files = { 'block.sh': reporting + script, 'products.csv': csv }
  const printed = await runProgram(['sh', '-e', 'block.sh'], { files, environment, input: '' })
  return [...printed.matchAll(/^(.*)\n(\d{3}) ([A-Z]+) (\S+)$/gm)].map(
    ([, body = '', status, method = '', url = '']) => ({
      operation: `${method} ${new URL(url).pathname.replace('/api/v1', '')}`,
      status: Number(status),
      // A file that is saved is not printed.
      body: JSON.parse(body || '{"success":true}'),
    }),
  )
}

/** The route of an operation, or undefined. The path may contain `{id}`, as the pages write it. */
export const operationOf = (operation: string) =>
  routes.find(({ method, path }) =>
    new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(operation),
  )
