import { languages } from './languages.ts'
import type { Block } from './pages.ts'
import { programPages } from './programs.ts'

/** Pages whose commands act on an operator's machines. That a shell can read them is checked, and every name in them (names.test.ts). */
const operators: Record<string, string> = {
  'CONTRIBUTING.md': 'starts servers of its own',
  'README.md': 'starts the demo and the whole suite; the gate runs both as they stand there',
  'bench/README.md': 'measures for minutes',
  'docs/operators/deploy.md': 'machines, images and clusters',
  'docs/operators/commands.md': 'changes the data of an installation',
  'docs/operators/backup.md': 'replaces the data of an installation',
  'docs/operators/runbook.md': 'acts on an installation in trouble',
  'docs/maintainers/testing.md': 'breaks things for minutes',
}

/** Blocks of the other pages that are not run: where, how they begin, and why. */
export const notRun: { page: string; begins: string; because: string }[] = [
  {
    page: 'docs/getting-started.md',
    begins: 'export BASE=',
    because: 'says what to put there; the programs below it are given the two variables',
  },
  {
    page: 'docs/webhooks.md',
    begins: 'CREATE TABLE webhook_inbox',
    because: 'is for a PostgreSQL of the merchant',
  },
  { page: 'docs/webhooks.md', begins: "app.post('/hooks'", because: 'is for a PostgreSQL of the merchant' },
]

const isProgram = ({ page, heading }: Block): boolean =>
  page in programPages && programPages[page as keyof typeof programPages].some((name) => name === heading)

/** Whether a block is calls to the API by curl, as a merchant makes them: curl.test.ts runs it. */
export const asksTheApi = (block: Block): boolean =>
  block.fence === 'sh' && block.text.includes('"$BASE/') && !isProgram(block)

const isVerifier = ({ page, heading, fence }: Block): boolean =>
  page === 'docs/webhooks.md' && languages.some((one) => one.name === heading && one.fence === fence)

export const isListed = (block: Block) =>
  notRun.find(({ page, begins }) => page === block.page && block.text.startsWith(begins))

/** What keeps a block true, or undefined. */
export function whatHolds(block: Block): string | undefined {
  if (block.fence === 'json')
    return 'blocks.test.ts parses it, curl.test.ts compares it where it is an answer'
  if (isProgram(block)) return 'programs.test.ts runs it'
  if (asksTheApi(block)) return 'curl.test.ts runs it'
  if (isVerifier(block)) return 'verify-webhooks.test.ts runs it'
  if (block.page === 'docs/store.md' && block.fence === 'csv') return 'curl.test.ts uploads it'
  return isListed(block)?.because ?? operators[block.page]
}
