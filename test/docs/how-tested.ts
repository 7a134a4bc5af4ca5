import { fileOf } from './languages.ts'
import type { Block } from './pages.ts'

const operators: Record<string, string> = {
  'CONTRIBUTING.md': 'starts servers of its own',
  'README.md': 'starts the demo and the whole suite, which the gate runs',
  'bench/README.md': 'measures for minutes',
  'docs/operators/deploy.md': 'machines, images and clusters',
  'ops/kubernetes/README.md': 'needs a cluster',
  'ops/docker-compose.md': 'needs Docker',
  'docs/operators/commands.md': 'changes the data of an installation',
  'docs/operators/backup.md': 'replaces the data of an installation',
  'docs/operators/runbook.md': 'acts on an installation in trouble',
  'docs/operators/wallet-provider.md': 'test/ops/provider-check.test.ts runs it',
  'ops/wallet-bridge/README.md': 'test/ops/wallet-bridge.test.ts runs these programs',
  'test/README.md': 'breaks things for minutes',
}

export const notRun: Record<string, string> = {
  'quickstart.md export SERVICE=': 'shows what to set; the tests set these variables',
  'quickstart.md npx --yes $SERVICE/':
    'runs for as long as the developer wants; the demo runs the same commands',
  'clients.md npm install "$SERVICE/': 'test/commands/npm-package.test.ts installs it',
  'quickstart.md npm install "$SERVICE/': 'test/commands/npm-package.test.ts installs it',
  'quickstart.md python3 -m venv': 'test/commands/python-and-php.test.ts installs it',
  'quickstart.md curl -O "$SERVICE/': 'test/commands/python-and-php.test.ts fetches it',
  'clients.md pip install "$SERVICE/': 'test/commands/python-and-php.test.ts installs it',
  'clients.md curl -O "$SERVICE/': 'test/commands/python-and-php.test.ts fetches it',
  'clients.md npx --yes $SERVICE/': 'runs for as long as the developer wants; test/cli tests each command',
  'webhooks.md CREATE TABLE inbox': "is for the merchant's database",
}

export const callsTheApi = (block: Block): boolean => block.fence === 'sh' && block.text.includes('"$BASE/')
export const isListed = ({ page, text }: Block): string | undefined =>
  Object.keys(notRun).find((key) => `${page} ${text}`.startsWith(`docs/merchants/${key}`))

export function testOf(block: Block): string | undefined {
  if (block.fence === 'json')
    return 'blocks.test.ts validates it, curl.test.ts compares it with the response of the block above it'
  if (fileOf(block)?.startsWith('hooks.')) return 'cli/handlers.test.ts runs it'
  if (fileOf(block) !== undefined) return 'programs.test.ts runs it'
  if (callsTheApi(block)) return 'curl.test.ts runs it'
  if (block.page === 'docs/merchants/store.md' && block.fence === 'csv') return 'curl.test.ts uploads it'
  return notRun[isListed(block) ?? ''] ?? operators[block.page]
}
