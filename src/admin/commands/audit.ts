import { type Command, InvalidArgumentError } from 'commander'
import { type KnownSeal, type Verified, verifyTrail } from '../../audit/seals/verify-trail.ts'
import { createPace } from '../../retention/pace.ts'
import { act } from './act.ts'
import type { AdminDeps } from './run.ts'

const verifyHelp = `
Recomputes the digest of every sealed line and of every seal. The exit code is 0
only if nothing was changed, removed or added later. Workers seal new lines every
night, so the lines of today have no seal yet.

Someone with full access to MongoDB can remove the last seals together with their
lines. To detect this, compare with a copy of a digest outside MongoDB: search the
logs for the latest "audit.sealed" or "audit.verified", and pass its number and
digest. Lines that were changed before they were sealed cannot be detected.

Examples:
  admin audit verify
  admin audit verify --expect 56:Zm9vYmFyYmF6…`

/** Adds the commands for the audit trail. */
export function addAuditCommands(program: Command): Command {
  const audit = program.command('audit').description('verify and export the audit trail')
  audit
    .command('verify')
    .description('prove that the sealed lines of the audit trail are unchanged')
    .option('--expect <number:digest>', 'a seal from the logs', knownSeal)
    .addHelpText('after', verifyHelp)
    .action(act(verify))
  return audit
}

/** Parses a seal's number and digest, such as `56:Zm9v…`. */
function knownSeal(text: string): KnownSeal {
  const [, number, digest] = /^([1-9]\d{0,8}):([\w-]{43})$/.exec(text) ?? []
  if (number === undefined || digest === undefined)
    throw new InvalidArgumentError('Must be the number and the digest of a seal, separated by a colon.')
  return { number: Number(number), digest }
}

async function verify(deps: AdminDeps, { expect = null }: { expect?: KnownSeal | null }) {
  const pace = createPace(new AbortController().signal, async () => undefined)
  const { faults, ...verified }: Verified = await verifyTrail(deps, pace, expect)
  if (verified.faultCount > 0) process.exitCode = 1
  const unsealed = await deps.AuditEvent.countDocuments({ seal: null }).maxTimeMS(4_000)
  return {
    proven: verified.faultCount === 0,
    ...verified,
    unsealed,
    faults: faults.map((fault) => ({ fault })),
  }
}
