import type { Command } from 'commander'

/** An example of each command whose help text has none. */
const examples: Record<string, string> = {
  'business create': '--name "Chez Fatou"',
  'business limit': 'ID --per-second 200 --live-codes default',
  'business commission': 'ID --provider-bp 150 --payer-bp 50 --from 2026-12-01T00:00Z',
  'business payout': 'ID --amount 125000 --reference TR-2026-0417',
  'api on': '',
  'api off': '',
  'key create': '--business ID --mode test --kind secret --scopes payments.intents:read,store.orders:read',
  'key rotate': 'ID --overlap-seconds 3600',
  'deliveries replays': '--endpoint ID',
  'shop create': '--business ID --name "Chez Fatou"',
  'staff create': '--name fatou --role support',
  'staff disable': 'fatou',
  'staff enable': 'fatou',
  'staff password': 'fatou',
  'staff reset-factor': 'fatou',
  'wallet create': '--phone 44556677 --pin 2580 --balance 100000',
  'secrets rotate': '--json',
}

/** Adds the examples to the help texts. */
export function addExamples(program: Command): void {
  for (const group of program.commands)
    for (const command of group.commands) {
      const name = `${group.name()} ${command.name()}`
      const example = examples[name]
      if (example !== undefined) command.addHelpText('after', `\nExample:\n  admin ${name} ${example}`.trimEnd())
    }
}
