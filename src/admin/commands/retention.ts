import type { Command } from 'commander'
import { countCleanUp, runCleanUp } from '../../retention/clean-up.ts'
import { startTally, type Tally } from '../../retention/counts.ts'
import { act } from './act.ts'
import { startProgress } from './progress.ts'
import { type AdminDeps, Failed } from './run.ts'

const retentionHelp = `
Takes away what is old: what test keys made (SANDBOX_RETENTION_DAYS), the attempts
of live deliveries (LIVE_DELIVERY_RETENTION_DAYS), and the stored first
responses of products and endpoints, after two days. The workers do the same every night at 02:30 UTC.

Ctrl-C ends it after the batch that it is at. The next run goes on where this one
was; after one that was killed, or failed, a minute later.

Examples:
  admin retention run --dry-run
  admin retention run`

/** `retention run`. */
export function addRetentionCommands(program: Command): void {
  const retention = program.command('retention').description('the clean-up')
  retention
    .command('run')
    .description('run the nightly clean-up now')
    .option('--dry-run', 'only count what would be removed', false)
    .addHelpText('after', retentionHelp)
    .action(act(run))
}

async function run(deps: AdminDeps, { dryRun }: { dryRun: boolean }, command: Command): Promise<Tally> {
  const { json } = command.optsWithGlobals<{ json?: boolean }>()
  const progress = startProgress(await deps.Business.countDocuments(), json === true)
  const { tally, watch } = startTally({ count: () => undefined, done: () => progress.add(1) })
  const ending = new AbortController()
  // A second Ctrl-C ends the process at once.
  process.once('SIGINT', () => ending.abort())
  try {
    const outcome = await (dryRun ? countCleanUp : runCleanUp)(deps, ending.signal, watch)
    if (outcome === 'under-way')
      throw new Failed('A clean-up is under way, or was killed or failed within the last minute.')
    if (outcome === 'stopped') throw new Failed('Stopped. The next run goes on where this one was.')
    return tally
  } catch (error) {
    // What went is gone, and no other run will count it.
    if (Object.values(tally).some((count) => count > 0))
      process.stderr.write(`Until then: ${JSON.stringify(tally)}\n`)
    throw error
  } finally {
    progress.end()
  }
}
