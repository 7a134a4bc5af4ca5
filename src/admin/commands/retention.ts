import type { Command } from 'commander'
import { runCleanUp, tryCleanUp } from '../../retention/run.ts'
import { startTally, type Tally } from '../../retention/tally.ts'
import { act } from './act.ts'
import { startProgress } from './progress.ts'
import { type AdminDeps, Failed } from './run.ts'

const retentionHelp = `
Takes away what is old: what test keys made (SANDBOX_RETENTION_DAYS), the attempts
of live deliveries (LIVE_DELIVERY_RETENTION_DAYS), and the stored first answers
of two days ago and earlier. The workers do the same every night at 02:30 UTC.

Killed half-way, run it again after a minute: it goes on with what is left.

Examples:
  admin retention run --dry-run
  admin retention run`

/** `retention run`. */
export function addRetentionCommands(program: Command): void {
  const retention = program.command('retention').description('clean-up of what is old')
  retention
    .command('run')
    .description('clean up now')
    .option('--dry-run', 'only count what would go', false)
    .addHelpText('after', retentionHelp)
    .action(act(run))
}

async function run(deps: AdminDeps, { dryRun }: { dryRun: boolean }, command: Command): Promise<Tally> {
  const { json } = command.optsWithGlobals<{ json?: boolean }>()
  const progress = startProgress(await deps.Business.countDocuments(), json === true)
  const { tally, watch } = startTally({ count: () => undefined, done: () => progress.add(1) })
  // Ctrl-C ends the process at once; what it leaves, the next run finds.
  const { signal } = new AbortController()
  try {
    if (dryRun) await tryCleanUp(deps, signal, watch)
    else if ((await runCleanUp(deps, signal, watch)) === 'under-way')
      throw new Failed('A clean-up is under way, or was killed within the last minute.')
    return tally
  } finally {
    progress.end()
  }
}
