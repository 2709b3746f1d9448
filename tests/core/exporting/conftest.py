from .making import formats as formats
