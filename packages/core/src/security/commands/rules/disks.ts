import { readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

const erasing: ReadonlySet<string> = new Set([
  'wipefs',
  'blkdiscard',
  'sgdisk',
  'sfdisk',
  'cfdisk',
  'pvremove',
  'vgremove',
  'lvremove',
])

export const disks: Rule = (call) => {
  const { name, args } = call
  const given = args.map(({ text }) => text)
  const has = (...words: string[]) => given.some((arg) => words.includes(arg))
  if (/^(?:mkfs(?:\..*)?|mke2fs|mkswap|newfs.*|mkntfs|mkdosfs)$/.test(name)) return ['format filesystem']
  if (name === 'dd') {
    const output = given.find((arg) => arg.startsWith('of='))?.slice(3) ?? ''
    return keysOf({
      'disk copy': given.some((arg) => arg.startsWith('if=')),
      'write to block device': isBlockDevice(output),
    })
  }
  const { operands } = readOptions(args, ['t', 'o', 'O', 'types', 'options'])
  if (name === 'umount' || (name === 'mount' && (operands.length > 0 || has('-a', '--all'))))
    return has('--help', '--version', '-V') ? [] : ['change of what is mounted']
  const words = operands.map(({ text }) => text)
  const erases =
    (erasing.has(name) && !has('-l', '-n', '--list', '--no-act', '-p', '--print')) ||
    (name === 'fdisk' && !has('-l', '--list', '-x')) ||
    (name === 'parted' && !has('-l', '--list', 'print')) ||
    (name === 'cryptsetup' && has('luksFormat', 'erase', 'luksErase')) ||
    ((name === 'zpool' || name === 'zfs') && words[0] === 'destroy') ||
    (name === 'mdadm' && has('--zero-superblock', '--stop', '-S')) ||
    (name === 'hdparm' && given.some((arg) => arg.startsWith('--security-erase'))) ||
    (name === 'nvme' && words[0] === 'format') ||
    (name === 'diskutil' && /^(?:erase|partition|secureerase|zerodisk)/i.test(words[0] ?? ''))
  return erases ? ['erasure or partitioning of a disk'] : []
}

/** Whether a path is a disk, or memory, as a whole. */
export function isBlockDevice(path: string): boolean {
  return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk|md|dm-|mapper\/|loop|nbd|zd|ram|sr|mem$|kmem$|port$)/.test(path)
}
