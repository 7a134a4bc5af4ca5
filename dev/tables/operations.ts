import { code, tableOf } from '../markdown.ts'
import { operations } from '../openapi-document.ts'

/** Every operation of the API, with the status of its success and the scope that a key needs. */
export const table = (): string =>
  tableOf(
    ['Operation', '', 'Status', 'Scope'],
    operations.map(({ name, summary, responses, security }) => [
      code(name),
      summary,
      Object.keys(responses).find((status) => status.startsWith('2')) ?? '',
      code(security[0]?.apiKey[0] ?? ''),
    ]),
  )
