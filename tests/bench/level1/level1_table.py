#!/usr/bin/env python3
"""One table of two: what `warpmind task import --report` said, and what strict_drivers.py said.

    level1_table.py IMPORT.json STRICT.json OUT.md

A program is refused by the control that the import names, or as degenerate when its driver's rule takes
zeros, the mean, or the answer to another input. Prints the names of each group, why each program that
passes its driver fails ours, and RESULT.
"""
import json
import pathlib
import sys

from strict_drivers import summary


def rows_of(imported, strict):
    for line in imported['programs']:
        ours = summary(strict[line['name']]) if line['name'] in strict else None
        by = line['refused_by']
        reason = line['reason']
        if not by and ours and ours['controls']:
            by = 'degenerate'
            reason = 'its rule takes ' + ', '.join(ours['controls'])
        yield {'name': line['name'], 'by': by, 'reason': reason, 'ours': ours, 'kernels_us': line['kernels_ns'] / 1e3,
               'state': line['state'], 'driver': line['state'] == 'admitted' or by in ('null_kernels', 'degenerate')}


def names(rows):
    return ', '.join(row['name'] for row in rows) or 'none'


def main():
    if len(sys.argv) != 4:
        print(__doc__)
        return 2
    imported = json.loads(pathlib.Path(sys.argv[1]).read_text())
    strict_file = pathlib.Path(sys.argv[2])
    strict = json.loads(strict_file.read_text()) if strict_file.exists() else {}
    rows = list(rows_of(imported, strict))
    group = lambda test: [row for row in rows if test(row)]
    known = group(lambda r: r['state'] != 'not imported')
    null = group(lambda r: r['by'] == 'null_kernels')
    degenerate = group(lambda r: r['by'] == 'degenerate')
    other = group(lambda r: r['by'] and r['by'] not in ('null_kernels', 'degenerate'))
    passed = group(lambda r: not r['by'] and r['state'] == 'admitted')
    judged = group(lambda r: r['ours'] and r['ours']['verdict'] != 'not judged')
    only = group(lambda r: r['driver'] and r['ours'] and r['ours']['verdict'] == 'fails')
    text = ['# Level 1 as program tasks', '', 'On %s.' % (imported['device'] or 'no device'), '',
            '| what | programs |', '|---|---:|', '| imported | %d |' % len(known),
            '| refused by the null-kernel control | %d |' % len(null), '| refused as degenerate | %d |' % len(degenerate),
            '| refused by another control | %d |' % len(other), '| passed every control | %d |' % len(passed),
            '| judged by the stricter rule | %d |' % len(judged),
            '| pass their driver and fail the stricter rule | %d |' % len(only), '',
            'Null-kernel control: %s.' % names(null), '', 'Degenerate: %s.' % names(degenerate), '',
            'Other controls: %s.' % names(other), '', 'Fail the stricter rule: %s.' % names(only), '',
            '| program | result | kernels, us | stricter rule | worst tile, times eager | why |', '|---|---|---:|---|---:|---|']
    for row in rows:
        ours = row['ours'] or {'verdict': '–', 'worst': 0, 'reason': ''}
        why = '; '.join(part for part in (row['reason'], ours['reason']) if part).replace('|', '/')
        text.append('| %s | %s | %.1f | %s | %.3g | %s |' % (
            row['name'], 'refused by ' + row['by'] if row['by'] else row['state'], row['kernels_us'], ours['verdict'], ours['worst'], why))
    pathlib.Path(sys.argv[3]).write_text('\n'.join(text) + '\n')
    print('\n'.join(text[4:text.index('| program | result | kernels, us | stricter rule | worst tile, times eager | why |')]))
    for row in only + other:
        print('%s: %s' % (row['name'], (row['ours'] or {}).get('reason') or row['reason']))
    print('RESULT level1 programs=%d imported=%d refused_null=%d refused_degenerate=%d refused_other=%d passed=%d judged=%d driver_only=%d' % (
        len(rows), len(known), len(null), len(degenerate), len(other), len(passed), len(judged), len(only)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
