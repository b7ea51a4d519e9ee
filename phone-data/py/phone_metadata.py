"""Prints the metadata of PyPI `phonenumbers` as JSON: what upstream's build made of its XML, and nothing else."""
import json
import sys

import phonenumbers
from phonenumbers import phonemetadata
from phonenumbers.data import _COUNTRY_CODE_TO_REGION_CODE as regions_of

TYPES = ["general_desc", "fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost",
         "personal_number", "voip", "pager", "uan", "voicemail"]


def formats(list_):
    return [{"pattern": f.pattern, "format": f.format, "leading": f.leading_digits_pattern[-1:],
             "rule": f.national_prefix_formatting_rule} for f in list_]


def region(code, calling_code):
    m = phonemetadata.PhoneMetadata.metadata_for_region_or_calling_code(calling_code, code)
    descs = {}
    for name in TYPES:
        desc = getattr(m, name)
        if desc is not None and desc.national_number_pattern:
            descs[name] = {"pattern": desc.national_number_pattern, "lengths": list(desc.possible_length),
                           "local": list(desc.possible_length_local_only)}
    return {"id": code, "idd": m.international_prefix, "prefix": m.national_prefix_for_parsing,
            "transform": m.national_prefix_transform_rule, "leading": m.leading_digits,
            "national_prefix": m.national_prefix,
            "same": bool(m.same_mobile_and_fixed_line_pattern), "descs": descs,
            "formats": formats(m.number_format), "intl_formats": formats(m.intl_number_format)}


json.dump({"version": phonenumbers.__version__,
           "codes": [{"code": code, "regions": [region(r, code) for r in regions_of[code]]}
                     for code in sorted(regions_of)]}, sys.stdout, indent=1, sort_keys=True)
