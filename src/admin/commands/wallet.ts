import type { Command } from 'commander'
import { act, found } from './act.ts'
import { centimes, phoneNumber, pinCode } from './arguments.ts'

/** Adds the `wallet create` command. */
export function addWalletCommands(program: Command): Command {
  const wallet = program.command('wallet').description('create sandbox wallets')
  wallet
    .command('create')
    .description('create a wallet that can pay test payment intents of every business')
    .requiredOption('--phone <phone>', 'phone number of the customer', phoneNumber)
    .requiredOption(
      '--pin <pin>',
      '4 to 6 digits; other users of this machine can see it, so do not use a real PIN',
      pinCode,
    )
    .requiredOption('--balance <centimes>', 'the balance in centimes', centimes)
    .action(
      act(async (deps, input: { phone: string; pin: string; balance: number }) => {
        const { createWallet } = await import('../../wallets/sandbox/create-wallet.ts')
        const created = await createWallet(deps, input, deps.by)
        const { _id: id, phone, balance } = found(created, `There is already a wallet ${input.phone}`)
        return { id, phone, balance }
      }),
    )
  return wallet
}
